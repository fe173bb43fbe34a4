//! Announcing: every running session that Slack is on for gets one thread, and keeps it until it is deleted.
//!
//! There is no other way to be announced. A pass compares the records with what was announced, so that it does not
//! matter which surface started or deleted a session, or whether anybody was there to announce it then. Passes of
//! several processes take turns.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use engine::{Engine, StandingApi as _};
use files::lock::Lock;
use futures_util::future::join_all;
use standing::events::Event;
use wire::{Row, State};

use super::{
    api::{Api, ApiError, Posted},
    blocking::lock,
    entities::decode,
    event_log::EventLog,
    folder::Folder,
    messages,
    threads::{Thread, Threads},
    ts::Ts,
    unannounced::not_announced,
};

const LOCK: &str = "slack.announcing.lock";

/// How long a pass waits for its turn: another process may be announcing many.
const TURN: Duration = Duration::from_mins(1);

/// The first pause before a failed announcement is tried again, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_mins(2));

/// The longest pause after a failure that only an operator can mend.
const MENDING: Duration = Duration::from_mins(15);

/// By how much the clocks of this machine and of Slack may differ.
const CLOCKS: Duration = Duration::from_mins(5);

/// What announces the sessions of one instance.
#[derive(Debug)]
pub(super) struct Announcer {
    engine: Engine,
    api: Arc<Api>,
    folder: Folder,
    threads: Threads,
    events: EventLog,
    /// The turn of this process among all, shared by what it does at once.
    turn: tokio::sync::Mutex<Weak<Lock>>,
    /// Threads that records may not name yet, each with whether it has been bound, or has not come to be.
    fresh: Mutex<HashMap<Ts, (Thread, bool)>>,
    /// One at a time announces in a channel.
    channels: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    failed: Mutex<HashMap<String, Failed>>,
}

/// An announcement that failed.
#[derive(Clone, Debug)]
struct Failed {
    /// Which start it was for: a new one is tried at once.
    started_at: String,
    error: String,
    again: Instant,
    pause: Duration,
    /// Since when an announcement may stand in Slack of which nobody was told.
    unsure: Option<Ts>,
}

/// What was seen of the sessions.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// Every session.
    pub(super) rows: Vec<Row>,
    /// Threads that were bound and are not any more.
    pub(super) gone: Vec<Ts>,
    /// What is to be said in threads that are bound no more.
    pub(super) farewells: Vec<Farewell>,
}

/// What became of the announcements that were due.
#[derive(Debug, Default)]
pub(super) struct Announced {
    /// Sessions that could not be announced, each with the reason.
    pub(super) failures: Vec<(String, String)>,
    /// What is to be said in threads that were made in vain.
    pub(super) farewells: Vec<Farewell>,
}

/// A thread that is bound no more, and what is to be said there.
pub(super) type Farewell = (Thread, String);

impl Announcer {
    pub(super) fn new(engine: Engine, api: Arc<Api>, folder: Folder, threads: Threads, events: EventLog) -> Self {
        Self {
            engine,
            api,
            folder,
            threads,
            events,
            turn: tokio::sync::Mutex::default(),
            fresh: Mutex::default(),
            channels: Mutex::default(),
            failed: Mutex::default(),
        }
    }

    /// Takes over what the records say of the threads, and lets go of what is no more. `seen` is how far threads were
    /// read.
    pub(super) async fn look(&self, seen: HashMap<Ts, Ts>) -> Result<Look, String> {
        let _held = self.take_turn().await?;
        let named: Vec<Ts> = {
            let fresh = self.fresh();
            fresh.iter().filter(|(_, (_, done))| *done).map(|(ts, _)| ts.clone()).collect()
        };
        let rows = self.engine.list().await.map_err(|error| error.to_string())?;
        // What was bound before the records were read is in them; what was not is bound whatever they say.
        self.fresh().retain(|ts, _| !named.contains(ts));
        let mut bound: Vec<Thread> = rows.iter().filter_map(Thread::of_row).collect();
        bound.extend(self.fresh().values().map(|(thread, _)| thread.clone()));
        let unsure: Vec<String> =
            rows.iter().filter(|row| row.state == State::Unreadable).map(|row| row.name.clone()).collect();
        let gone = self.threads.follow(bound, unsure, seen).await?;
        let mut look = Look { gone: gone.iter().map(|thread| thread.ts.clone()).collect(), ..Look::default() };
        for thread in gone {
            // One whose record still names it is no stranger: Slack was turned off for it.
            if !rows.iter().any(|row| row.slack_thread == thread.ts.as_str()) {
                let deleted = !rows.iter().any(|row| thread.name.as_str() == row.name);
                let say = if deleted { messages::unbound } else { messages::superseded };
                let text = say(thread.name.as_str());
                look.farewells.push((thread, text));
            }
        }
        look.rows = rows;
        Ok(look)
    }

    /// Announces what is to be announced, in each channel one after the other. No channel waits for another one.
    pub(super) async fn announce_due(&self, rows: &[Row]) -> Announced {
        let mut channels: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows.iter().filter(|row| wants_a_thread(row) && self.is_due(row)) {
            channels.entry(&row.slack_channel).or_default().push(row);
        }
        let in_turn = channels.into_iter().map(|(channel, rows)| self.announce_in(channel, rows));
        let mut announced = Announced::default();
        for part in join_all(in_turn).await {
            announced.failures.extend(part.failures);
            announced.farewells.extend(part.farewells);
        }
        announced
    }

    /// True if an announcement is due.
    pub(super) fn any_due(&self, rows: &[Row]) -> bool {
        rows.iter().any(|row| wants_a_thread(row) && self.is_due(row))
    }

    /// When a failed announcement of one of these sessions is tried again.
    pub(super) fn next_try(&self, rows: &[Row]) -> Option<Instant> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = rows.iter().filter(|row| wants_a_thread(row)).filter_map(|row| failed.get(&row.name));
        waiting.map(|failed| failed.again).min()
    }

    async fn announce_in(&self, channel: &str, rows: Vec<&Row>) -> Announced {
        let mut announced = Announced::default();
        let alone = {
            let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(channels.entry(channel.to_owned()).or_default())
        };
        // Who announces in this channel already has been told of these, or the next look finds them.
        let Ok(_alone) = alone.try_lock() else { return announced };
        let held = match self.take_turn().await {
            Ok(held) => held,
            Err(reason) => {
                announced.failures.extend(rows.iter().map(|row| (row.name.clone(), reason.clone())));
                return announced;
            }
        };
        for row in rows {
            match self.announce(row).await {
                Ok(None) => {}
                Ok(Some(lost)) => announced.farewells.push((lost, messages::superseded(&row.name))),
                Err(reason) => announced.failures.push((row.name.clone(), reason)),
            }
        }
        drop(held);
        announced
    }

    /// The turn of this process among all.
    async fn take_turn(&self) -> Result<Arc<Lock>, String> {
        let mut turn = self.turn.lock().await;
        if let Some(held) = turn.upgrade() {
            return Ok(held);
        }
        let held = Arc::new(lock(&self.folder, LOCK, TURN).await?);
        *turn = Arc::downgrade(&held);
        Ok(held)
    }

    /// Announces one session, if that is still due. Gives back a thread that was made in vain.
    async fn announce(&self, row: &Row) -> Result<Option<Thread>, String> {
        let now = self.engine.get(&row.name).await;
        // Another process may have been at it since, or the session is gone.
        let Some(row) = now.ok().filter(wants_a_thread) else { return Ok(None) };
        let row = &row;
        if row.slack_channel.is_empty() {
            let reason = "it has no channel: set `slack.channel` of the session or `channels.slack.channel`";
            return Err(self.fail(row, reason.to_owned(), PAUSES.1));
        }
        let config = self.engine.config().await;
        let slack = &config.settings.slack;
        let text = messages::announcement(row, &slack.authorized_users, slack.verbosity);
        let posted = match self.made_before(row, &text).await {
            Ok(Some(posted)) => posted,
            Ok(None) => self.post(row, &text).await?,
            Err(error) => {
                let pause = self.pause(row, &error);
                return Err(self.fail(row, error.to_string(), pause));
            }
        };
        let name = wire::SessionName::parse(&row.name).map_err(|error| error.to_string())?;
        let thread = Thread { name, channel: posted.channel, ts: posted.ts };
        self.bind(row, thread).await
    }

    async fn post(&self, row: &Row, text: &str) -> Result<Posted, String> {
        let begun = Ts::now().before(CLOCKS);
        self.api.post_message(&row.slack_channel, None, text).await.map_err(|error| {
            let pause = self.pause(row, &error);
            let told = self.fail(row, error.to_string(), pause);
            if error.may_be_done() {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(failed) = failed.get_mut(&row.name) {
                    failed.unsure.get_or_insert(begun);
                }
            }
            told
        })
    }

    /// The announcement that an earlier try made all the same, though its answer was lost. Known by its author and its
    /// first line, in which the moment of the start stands.
    async fn made_before(&self, row: &Row, text: &str) -> Result<Option<Posted>, ApiError> {
        let unsure = self.failed.lock().unwrap_or_else(PoisonError::into_inner).get(&row.name).cloned();
        let Some(since) = unsure.and_then(|failed| failed.unsure).filter(|_| is_id(&row.slack_channel)) else {
            return Ok(None);
        };
        let us = self.api.auth_test().await?;
        let said = self.api.history(&row.slack_channel, &since).await?;
        let first = |text: &str| decode(text.lines().next().unwrap_or_default());
        let ours = said.iter().find(|message| {
            let says = message["text"].as_str().unwrap_or_default();
            message["user"] == us.user.as_str() && first(says) == first(text)
        });
        let ts = ours.and_then(|message| Ts::parse(message["ts"].as_str()?));
        Ok(ts.map(|ts| Posted { channel: row.slack_channel.clone(), ts }))
    }

    /// Order matters: first into the list of threads, where a crash leaves it to be found and let go of.
    async fn bind(&self, row: &Row, thread: Thread) -> Result<Option<Thread>, String> {
        self.fresh().insert(thread.ts.clone(), (thread.clone(), false));
        let bound = self.bind_fresh(row, thread.clone()).await;
        if let Some((_, done)) = self.fresh().get_mut(&thread.ts) {
            *done = true;
        }
        bound
    }

    async fn bind_fresh(&self, row: &Row, thread: Thread) -> Result<Option<Thread>, String> {
        self.threads.add(thread.clone()).await.map_err(|error| self.fail(row, error, PAUSES.1))?;
        let bound = self.engine.bind_thread(thread.name.as_str(), &thread.channel, thread.ts.as_str()).await;
        match bound {
            Ok(bound) if bound.slack_thread == thread.ts.as_str() => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).remove(&row.name);
                self.events.emit(
                    Event::info("standing.announced")
                        .with("standing", row.name.as_str())
                        .with("channel", thread.channel.as_str())
                        .with("thread", thread.ts.as_str()),
                );
                Ok(None)
            }
            Ok(_) => Ok(Some(thread)),
            // It was deleted meanwhile: the thread is let go of like any other of a session that is gone.
            Err(standing::Error::Unknown { .. }) => Ok(None),
            Err(error) => Err(self.fail(row, error.to_string(), PAUSES.1)),
        }
    }

    fn fresh(&self) -> std::sync::MutexGuard<'_, HashMap<Ts, (Thread, bool)>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_due(&self, row: &Row) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(&row.name).is_none_or(|failed| failed.started_at != row.started_at || failed.again <= Instant::now())
    }

    /// How long to wait before the next try. What only an operator can mend is tried ever less.
    fn pause(&self, row: &Row, error: &ApiError) -> Duration {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let last = failed.get(&row.name).filter(|failed| failed.started_at == row.started_at);
        let pause = match last {
            Some(failed) if !error.is_passing() => failed.pause.saturating_mul(2).clamp(PAUSES.1, MENDING),
            // One that may stand there already, where that cannot be looked up, is not made again in a hurry.
            _ if !error.is_passing() || (error.may_be_done() && !is_id(&row.slack_channel)) => PAUSES.1,
            None => PAUSES.0,
            Some(failed) => failed.pause.saturating_mul(2).min(PAUSES.1),
        };
        pause.max(error.asked_to_wait().unwrap_or_default())
    }

    /// Notes a failure and tells of it once a start.
    fn fail(&self, row: &Row, error: String, pause: Duration) -> String {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let last = failed.get(&row.name);
        let told = last.is_some_and(|failed| failed.started_at == row.started_at && failed.error == error);
        if !told {
            tell_failed(&self.events, &row.name, &error);
        }
        let again = Instant::now() + pause;
        let unsure = last.and_then(|failed| failed.unsure.clone());
        failed.insert(
            row.name.clone(),
            Failed { started_at: row.started_at.clone(), error: error.clone(), again, pause, unsure },
        );
        error
    }
}

/// True for a session that runs, that Slack is on for, and that has no thread. One that has no channel is among them:
/// it is to be told of. One that is just being started may look as if it ran already, and its start is not known yet.
pub(super) fn wants_a_thread(row: &Row) -> bool {
    let runs = row.running && row.state == State::Running && !row.started_at.is_empty();
    runs && row.slack_enabled && row.slack_thread.is_empty()
}

/// True for a channel's id, by which alone it can be read.
fn is_id(channel: &str) -> bool {
    channel.starts_with(['C', 'D', 'G'])
        && channel.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Tells that a session was not announced, which never keeps it from running.
pub(super) fn tell_failed(events: &EventLog, name: &str, error: &str) {
    events.emit(not_announced(name, error));
    tracing::warn!(session.name = name, error, "could not announce a session in Slack");
}
