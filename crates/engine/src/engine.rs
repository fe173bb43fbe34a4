//! The engine's handle, and the only bridge from asynchronous callers to the blocking verbs.

use std::{fmt, sync::Arc, time::Duration};

use standing::{
    Attach, Caller, Details, Error, PaneView, Scrollback, Standing, Surroundings, TheLoop, TurnFollower,
    config::Loaded,
    events::EventReader,
    timeline::{News, Timeline, TimelineQuery},
};
use tokio::task;
use tokio_util::sync::CancellationToken;
use wire::{Row, SessionName};

use crate::{
    panes::{PaneSubscription, PaneWatcher},
    queues::{Queues, Turn},
    turns::{Source, Turns},
    watcher::{ConfigFile, SessionWatcher},
};

/// Time for which a turn is followed that no caller waits for.
const LONGEST_TURN: Duration = Duration::from_hours(6);

/// Finds the caller of a request. It may block: finding a process can mean reading every process of the machine.
type FindCaller = Arc<dyn Fn() -> Caller + Send + Sync>;

/// Handle of one instance of the-loop. Cheap to clone: clones share their queues.
///
/// A verb that has begun runs to its end, even if the future is dropped. A panic in a verb is resumed in the caller.
#[derive(Clone)]
pub struct Engine {
    the_loop: TheLoop,
    queues: Arc<Queues>,
    closed: CancellationToken,
    watcher: SessionWatcher,
    panes: PaneWatcher,
    turns: Turns,
    /// `None`: the caller that the instance was opened for.
    caller: Option<FindCaller>,
    /// True if blocking work runs on the thread of its caller.
    on_this_thread: bool,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("the_loop", &self.the_loop).finish_non_exhaustive()
    }
}

impl From<TheLoop> for Engine {
    fn from(the_loop: TheLoop) -> Self {
        Self::new(the_loop)
    }
}

impl Engine {
    /// Returns an engine for an instance.
    pub fn new(the_loop: TheLoop) -> Self {
        let closed = CancellationToken::new();
        let watcher = SessionWatcher::new(the_loop.clone(), closed.clone());
        let panes = PaneWatcher::new(the_loop.clone(), closed.clone());
        let (queues, turns) = (Arc::default(), Turns::default());
        Self { the_loop, queues, closed, watcher, panes, turns, caller: None, on_this_thread: false }
    }

    /// Returns an engine that blocks its caller's thread, for a program that does one thing and ends. That saves a
    /// thread, whose memory would be a heap of its own.
    pub fn on_this_thread(the_loop: TheLoop) -> Self {
        Self { on_this_thread: true, ..Self::new(the_loop) }
    }

    /// Returns this engine for one request, with a function that finds its caller. The function runs on a thread that may
    /// block, and only for a verb that needs permission.
    #[must_use]
    pub fn called_by(mut self, find: impl Fn() -> Caller + Send + Sync + 'static) -> Self {
        self.caller = Some(Arc::new(find));
        self
    }

    /// Returns the engine of the same instance for another part of the program, named `source` in the event log and calling
    /// as `caller`. Queues are shared.
    #[must_use]
    pub fn acting_as(mut self, source: &'static str, caller: Caller) -> Self {
        self.the_loop = self.the_loop.with_source(source).with_caller(caller);
        self.caller = None;
        self
    }

    /// Returns the engine for a surface of the same program, with the name `source` in the event log. Queues and caller stay.
    #[must_use]
    pub fn from_surface(mut self, source: &'static str) -> Self {
        self.the_loop = self.the_loop.with_source(source);
        self
    }

    /// Reads the config as it is in the file now.
    pub async fn config(&self) -> Arc<Loaded> {
        self.read(TheLoop::config).await
    }

    /// Binds a session to the Slack thread in which it is answered, and returns its row. A session that is already
    /// bound keeps its thread; the row says which one it is.
    pub async fn bind_thread(&self, name: &str, channel: &str, thread: &str) -> Result<Row, Error> {
        let (name, channel, thread) = (name.to_owned(), channel.to_owned(), thread.to_owned());
        self.on_session(&name.clone(), move |standing| standing.bind_thread(&name, &channel, &thread)).await
    }

    /// Returns a reader of the event log.
    pub async fn event_log(&self) -> EventReader {
        self.read(TheLoop::event_log).await
    }

    /// Returns a page of the timeline of a session, or of all sessions.
    pub async fn timeline(&self, query: TimelineQuery) -> Result<Timeline, Error> {
        self.read(move |the_loop| the_loop.timeline(&query)).await
    }

    /// Returns the names of all declared and recorded sessions, sorted. Does not ask tmux.
    pub async fn timeline_sessions(&self) -> Vec<SessionName> {
        self.read(TheLoop::timeline_sessions).await
    }

    /// Returns the matching entries after a position in the event log.
    pub async fn timeline_news(&self, query: TimelineQuery, position: u64) -> Result<News, Error> {
        self.read(move |the_loop| the_loop.timeline_news(&query, position)).await
    }

    /// Returns the environment that this process was started with.
    pub fn surroundings(&self) -> &Surroundings {
        self.the_loop.surroundings()
    }

    /// Returns the watcher, which reads the sessions while there are subscribers.
    pub fn watcher(&self) -> &SessionWatcher {
        &self.watcher
    }

    /// Returns the details of one session.
    pub async fn details(&self, name: &str) -> Result<Details, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().details(&name)).await
    }

    /// Returns the screen of a session's pane with its colours; `None` if it has no pane.
    pub async fn pane(&self, name: &str) -> Result<Option<PaneView>, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().pane(&name)).await
    }

    /// Returns up to [`standing::SCROLLBACK`] lines of a session's history that are above the line with a number; `None`
    /// if it has no pane.
    pub async fn scrollback(&self, name: &str, before: usize) -> Result<Option<Scrollback>, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().scrollback(&name, before)).await
    }

    /// Returns the command of a terminal that shows a running session. Without `write` it is read-only.
    pub async fn terminal(&self, name: &str, write: bool) -> Result<Attach, Error> {
        let (permitted, name) = (self.permitted(), name.to_owned());
        self.read(move |the_loop| permitted(the_loop.standing()).terminal(&name, write)).await
    }

    /// Writes to the event log that a terminal of a session was opened.
    pub async fn terminal_opened(&self, name: &str, write: bool) -> Result<(), Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().terminal_opened(&name, write)).await
    }

    /// Subscribes to the pane of a session: while there is a subscription, the pane is captured about ten times a second.
    /// A session without a pane is watched as well, and its view appears once it has one.
    pub async fn watch_pane(&self, name: &str) -> Result<PaneSubscription, Error> {
        let first = self.pane(name).await?.unwrap_or_default();
        Ok(self.panes.subscribe(SessionName::parse(name)?, first))
    }

    /// Returns the turn of a message, waiting up to `wait` for its end. A service that shuts down ends the wait.
    pub(crate) async fn turn_within(&self, name: &str, id: &str, wait: Duration) -> Result<wire::Turn, Error> {
        let (session, message) = (name.to_owned(), id.to_owned());
        let look = move |the_loop: &TheLoop| {
            let mut follower = TurnFollower::new(&session)?;
            let turn = the_loop.standing().turns(&mut follower, std::slice::from_ref(&message), None)?.pop();
            let turn =
                turn.ok_or(Error::UnknownMessage { name: SessionName::parse(&session)?, id: message.clone() })?;
            Ok::<_, Error>((turn, follower.is_recorded(&message)))
        };
        let (now, recorded) = self.read(look).await?;
        let name = SessionName::parse(name)?;
        if !recorded {
            self.turns.record(self, &name, id);
        }
        if !now.state.is_open() || wait.is_zero() {
            return Ok(now);
        }
        let ended = tokio::select! {
            ended = self.turns.wait(self, &name, id, wait) => ended,
            () = self.closed.cancelled() => None,
        };
        Ok(ended.unwrap_or(now))
    }

    /// Follows the turn of a message that no caller waits for, while a page, a stream or Slack is subscribed: they show
    /// its end.
    pub(crate) fn follow_unwatched(&self, name: &str, id: &str) {
        let Ok(name) = SessionName::parse(name) else { return };
        if !self.watcher.is_at_work() {
            return;
        }
        let (engine, id) = (self.clone(), id.to_owned());
        task::spawn(async move {
            tokio::select! {
                _ = engine.turns.wait(&engine, &name, &id, LONGEST_TURN) => {},
                () = engine.closed.cancelled() => {},
            }
        });
    }

    /// Begins to watch the config file. Costs nothing until the file changes.
    pub async fn follow_config(&self) -> ConfigFile {
        ConfigFile::follow(self.the_loop.clone()).await
    }

    /// Refuses every verb that has not begun, and all later ones. Verbs that have begun run to their end.
    pub fn close(&self) {
        self.closed.cancel();
    }

    /// Number of verbs on single sessions that have begun or wait for their session.
    pub fn verbs_under_way(&self) -> usize {
        self.queues.in_them()
    }

    /// Runs a read on a thread that is never used for verbs.
    pub async fn read<T: Send + 'static>(&self, read: impl FnOnce(&TheLoop) -> T + Send + 'static) -> T {
        self.run(self.queues.turn_to_read().await, read).await
    }

    /// Runs a verb on one session, after the verbs that were called before it.
    pub async fn on_session<T: Send + 'static>(
        &self,
        name: &str,
        verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.unless_closed(self.queues.turn_of(name)).await??;
        let late = turn.late();
        self.change(turn, move |the_loop| match late {
            Some((name, waited)) if waited > the_loop.lock_wait() => Err(held_by_others(name, waited)),
            _ => verb(the_loop.standing()),
        })
        .await
    }

    /// Runs a verb on every session.
    pub async fn on_all<T: Send + 'static>(
        &self,
        verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.unless_closed(self.queues.turn_of_verb()).await?;
        self.change(turn, |the_loop| verb(the_loop.standing())).await
    }

    /// Returns every session with the last `lines` lines of its pane, sorted by name.
    ///
    /// Starts no process while the watcher is at work.
    pub async fn survey(&self, lines: usize) -> Result<Vec<(Row, String)>, Error> {
        if let Some(snapshot) = self.watcher.current().await {
            return Ok(snapshot.survey(lines));
        }
        self.read(move |the_loop| the_loop.standing().survey(lines)).await
    }

    /// Returns the session that a process belongs to, as its harness or a descendant of it.
    pub async fn session_of(&self, pid: u32) -> Option<SessionName> {
        self.read(move |the_loop| the_loop.standing().session_of(pid)).await
    }

    /// Checks that the config is valid and that tmux answers.
    pub async fn ready(&self) -> Result<(), Error> {
        self.read(|the_loop| the_loop.standing().ready()).await
    }

    /// Returns a function that sets this engine's caller on the core's verbs.
    pub(crate) fn permitted(&self) -> impl FnOnce(Standing<'_>) -> Standing<'_> + Send + 'static {
        let find = self.caller.clone();
        move |standing| match find {
            Some(find) => standing.called_by(find()),
            None => standing,
        }
    }

    /// Waits for a turn; fails if the engine is closed first.
    async fn unless_closed<T>(&self, turn: impl Future<Output = T>) -> Result<T, Error> {
        tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(Error::ShuttingDown),
            turn = turn => Ok(turn),
        }
    }

    /// Runs a verb, and publishes its effect before its caller gets the answer.
    async fn change<T: Send + 'static>(&self, turn: Turn, verb: impl FnOnce(&TheLoop) -> T + Send + 'static) -> T {
        let (watcher, panes) = (self.watcher.clone(), self.panes.clone());
        let verb = move |the_loop: &TheLoop| {
            let done = verb(the_loop);
            watcher.verb_ended();
            panes.verb_ended();
            done
        };
        self.run(turn, verb).await
    }

    /// Runs blocking work on a blocking thread, unless the engine is that of one thread. The turn is held until the work ends, even if the caller is gone.
    async fn run<T: Send + 'static>(&self, turn: Turn, work: impl FnOnce(&TheLoop) -> T + Send + 'static) -> T {
        let the_loop = self.the_loop.clone();
        let work = move || {
            let done = work(&the_loop);
            drop(turn);
            done
        };
        if self.on_this_thread {
            return work();
        }
        match task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
            // The runtime is shutting down, and the caller with it.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Source for Engine {
    async fn look(
        &self,
        mut follower: TurnFollower,
        ids: Vec<String>,
        row: Option<Row>,
    ) -> (TurnFollower, Result<Vec<wire::Turn>, Error>) {
        self.read(move |the_loop| {
            let seen = the_loop.standing().turns(&mut follower, &ids, row.as_ref());
            (follower, seen)
        })
        .await
    }

    /// Starts no process while the watcher is at work.
    async fn row(&self, name: &SessionName) -> Option<Row> {
        if let Some(snapshot) = self.watcher.current().await {
            return snapshot.rows().iter().find(|row| row.name == name.as_str()).cloned();
        }
        let name = name.to_string();
        self.read(move |the_loop| the_loop.standing().get(&name).ok()).await
    }
}

/// Error for a verb that waited longer in the queue than it would wait for the session's lock.
fn held_by_others(name: SessionName, waited: Duration) -> Error {
    Error::Busy { name, holder: "other requests".to_owned(), waited_seconds: waited.as_secs() }
}
