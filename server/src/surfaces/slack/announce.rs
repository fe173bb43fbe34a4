//! Announces sessions: every running session with Slack enabled gets one thread and keeps it until it is deleted.
//!
//! Sessions are announced here only. A pass compares the records with the announcements made so far. It therefore does
//! not matter which surface started or deleted a session, or whether a process was running to announce it at the time.
//! Passes of several processes take turns.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use engine::{Engine, StandingApi as _};
use files::lock::Lock;
use futures_util::future::join_all;
use standing::events::{Event, Level};
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
};

const LOCK: &str = "slack.announcing.lock";

/// Time limit of a pass that waits for its turn: another process may be announcing many sessions.
const TURN: Duration = Duration::from_mins(1);

/// First and longest pause before a failed announcement is retried.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_mins(2));

/// Longest pause after a failure that only an operator can fix.
const MENDING: Duration = Duration::from_mins(15);

/// Allowed difference between the clocks of this machine and of Slack.
const CLOCKS: Duration = Duration::from_mins(5);

/// Announces the sessions of one instance.
#[derive(Debug)]
pub(super) struct Announcer {
    engine: Engine,
    api: Arc<Api>,
    folder: Folder,
    threads: Threads,
    events: EventLog,
    /// Lock that orders the passes of all processes, shared by the concurrent announcements of this one.
    turn: tokio::sync::Mutex<Weak<Lock>>,
    /// Threads that records may not name yet. The flag is true once the thread is bound or its announcement has failed.
    fresh: Mutex<HashMap<Ts, (Thread, bool)>>,
    /// One lock per channel: announcements in a channel are made one at a time.
    channels: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    failed: Mutex<HashMap<String, Failed>>,
}

/// A failed announcement.
#[derive(Clone, Debug)]
struct Failed {
    /// Start time of the session that was to be announced: a new start is tried at once.
    started_at: String,
    error: String,
    again: Instant,
    pause: Duration,
    /// Time from which the announcement may exist in Slack although no answer arrived.
    unsure: Option<Ts>,
}

/// Result of one look at the sessions.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// All sessions.
    pub(super) rows: Vec<Row>,
    /// Threads that are no longer bound.
    pub(super) gone: Vec<Ts>,
    /// Closing messages for threads that are no longer bound.
    pub(super) farewells: Vec<Farewell>,
}

/// Result of the announcements that were due.
#[derive(Debug, Default)]
pub(super) struct Announced {
    /// Sessions that could not be announced, each with the reason.
    pub(super) failures: Vec<(String, String)>,
    /// Closing messages for threads that were created but not used.
    pub(super) farewells: Vec<Farewell>,
}

/// A thread that is no longer bound, and the message to post there.
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

    /// Updates the threads from the records and releases those that are no longer bound. `seen` maps each thread to the
    /// last message that was read.
    pub(super) async fn look(&self, seen: HashMap<Ts, Ts>) -> Result<Look, String> {
        let _held = self.take_turn().await?;
        let named: Vec<Ts> = {
            let fresh = self.fresh();
            fresh.iter().filter(|(_, (_, done))| *done).map(|(ts, _)| ts.clone()).collect()
        };
        let rows = self.engine.list().await.map_err(|error| error.to_string())?;
        // A thread bound before the records were read is in them. A thread bound later is kept whatever they say.
        self.fresh().retain(|ts, _| !named.contains(ts));
        let mut bound: Vec<Thread> = rows.iter().filter_map(Thread::of_row).collect();
        bound.extend(self.fresh().values().map(|(thread, _)| thread.clone()));
        let unsure: Vec<String> =
            rows.iter().filter(|row| row.state == State::Unreadable).map(|row| row.name.clone()).collect();
        let gone = self.threads.follow(bound, unsure, seen).await?;
        let mut look = Look { gone: gone.iter().map(|thread| thread.ts.clone()).collect(), ..Look::default() };
        for thread in gone {
            // A thread that its record still names is not removed: Slack was turned off for that session.
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

    /// Announces all due sessions, one after the other within a channel. Channels do not wait for each other.
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

    /// Returns the time of the next retry among failed announcements of these sessions.
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
        // The task that announces in this channel already knows these sessions, or the next look finds them.
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

    /// Waits for the turn of this process.
    async fn take_turn(&self) -> Result<Arc<Lock>, String> {
        let mut turn = self.turn.lock().await;
        if let Some(held) = turn.upgrade() {
            return Ok(held);
        }
        let held = Arc::new(lock(&self.folder, LOCK, TURN).await?);
        *turn = Arc::downgrade(&held);
        Ok(held)
    }

    /// Announces one session if that is still due. Returns a thread that was created but is not needed.
    async fn announce(&self, row: &Row) -> Result<Option<Thread>, String> {
        let now = self.engine.get(&row.name).await;
        // Another process may have announced the session since, or the session was deleted.
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

    /// Finds the announcement of an earlier attempt whose answer was lost. It is recognised by its author and its first
    /// line, which contains the start time.
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

    /// Binds a thread to a session. Order matters: the thread goes into the list of threads first, where it can be
    /// found and released after a crash.
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
            // The session was deleted meanwhile: its thread is released like that of any deleted session.
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

    /// Returns the pause before the next attempt. Failures that only an operator can fix are retried ever less often.
    fn pause(&self, row: &Row, error: &ApiError) -> Duration {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let last = failed.get(&row.name).filter(|failed| failed.started_at == row.started_at);
        let pause = match last {
            Some(failed) if !error.is_passing() => failed.pause.saturating_mul(2).clamp(PAUSES.1, MENDING),
            // An announcement that may already exist and cannot be looked up is not repeated soon.
            _ if !error.is_passing() || (error.may_be_done() && !is_id(&row.slack_channel)) => PAUSES.1,
            None => PAUSES.0,
            Some(failed) => failed.pause.saturating_mul(2).min(PAUSES.1),
        };
        pause.max(error.asked_to_wait().unwrap_or_default())
    }

    /// Records a failure and reports it once per start.
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

/// True for a running session that has Slack enabled and no thread. A session without a channel is included, because
/// that failure must be reported. A session that is being started is not: it may look as if it were running already,
/// and its start time is not known yet.
pub(super) fn wants_a_thread(row: &Row) -> bool {
    let runs = row.running && row.state == State::Running && !row.started_at.is_empty();
    runs && row.slack_enabled && row.slack_thread.is_empty()
}

/// True for a channel ID. A channel can be read only by its ID.
fn is_id(channel: &str) -> bool {
    channel.starts_with(['C', 'D', 'G'])
        && channel.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Reports that a session was not announced. The session runs anyway.
pub(super) fn tell_failed(events: &EventLog, name: &str, error: &str) {
    events.emit(not_announced(name, error));
    tracing::warn!(session.name = name, error, "could not announce a session in Slack");
}

/// Returns the event for a session that was not announced.
pub(super) fn not_announced(name: &str, error: &str) -> Event {
    Event::new(Level::Warning, "standing.announce_failed").with("standing", name).with("error", error)
}
