//! Announcing: every running session that Slack is on for gets one thread, and keeps it until it is deleted.
//!
//! There is no other way to be announced. A pass compares the records with what was announced, so that it does not
//! matter which surface started or deleted a session, or whether anybody was there to announce it then. Passes of
//! several processes take turns.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use standing::{
    TheLoop,
    config::Settings,
    events::{Event, Level},
};
use tokio::task;
use wire::{Row, State};

use super::{
    api::{Api, ApiError, Posted},
    entities::decode,
    folder::Folder,
    threads::{Thread, Threads},
    ts::Ts,
    words,
};

const LOCK: &str = "slack.announcing.lock";

/// How long a pass waits for its turn: another process may be announcing many.
const TURN: Duration = Duration::from_mins(1);

/// The first pause before a failed announcement is tried again, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_mins(2));

/// By how much the clocks of this machine and of Slack may differ.
const CLOCKS: Duration = Duration::from_mins(5);

/// What announces the sessions of one instance.
#[derive(Debug)]
pub(super) struct Announcer {
    the_loop: TheLoop,
    api: Arc<Api>,
    folder: Folder,
    threads: Arc<Threads>,
    /// Passes of this process take turns before they ask for a turn among processes.
    turn: tokio::sync::Mutex<()>,
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

/// What a pass saw and did.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// Every session, with what its screen says if that was asked for.
    pub(super) rows: Vec<Row>,
    /// Threads that are bound no more, with what is to be said there.
    pub(super) farewells: Vec<(Thread, String)>,
    /// Sessions that could not be announced, each with the reason.
    pub(super) failures: Vec<(String, String)>,
}

impl Announcer {
    pub(super) fn new(the_loop: TheLoop, api: Arc<Api>, folder: Folder, threads: Arc<Threads>) -> Self {
        Self { the_loop, api, folder, threads, turn: tokio::sync::Mutex::new(()), failed: Mutex::default() }
    }

    /// Announces what is to be announced and lets go of what is no more. `seen` tells how far a thread was read;
    /// `screens` asks for rows that tell what a session's screen says.
    pub(super) async fn pass(&self, screens: bool, seen: impl Fn(&Ts) -> Option<Ts>) -> Result<Pass, String> {
        let _turn = self.turn.lock().await;
        let folder = self.folder.clone();
        let held = blocking(move || folder.lock(LOCK, TURN)).await?.map_err(|error| error.to_string())?;
        let mut rows = self.rows(screens).await?;
        let config = self.the_loop.config();
        let mut pass = Pass::default();
        for row in &mut rows {
            match self.announce(row, &config.settings).await {
                Ok(None) => {}
                Ok(Some(lost)) => pass.farewells.push((lost, words::superseded(&row.name))),
                Err(reason) => pass.failures.push((row.name.clone(), reason)),
            }
        }
        let bound = rows.iter().filter_map(Thread::of_row).collect();
        let unsure: Vec<String> =
            rows.iter().filter(|row| row.state == State::Unreadable).map(|row| row.name.clone()).collect();
        let gone = self.threads.follow(bound, &unsure, seen).map_err(|error| error.to_string())?;
        drop(held);
        for thread in gone {
            // One whose record still names it is no stranger: Slack was turned off for it.
            if !rows.iter().any(|row| row.slack_thread == thread.ts.as_str()) {
                let deleted = !rows.iter().any(|row| thread.name.as_str() == row.name);
                let say = if deleted { words::unbound } else { words::superseded };
                let text = say(thread.name.as_str());
                pass.farewells.push((thread, text));
            }
        }
        pass.rows = rows;
        Ok(pass)
    }

    async fn rows(&self, screens: bool) -> Result<Vec<Row>, String> {
        let the_loop = self.the_loop.clone();
        let rows = blocking(move || {
            if screens {
                let surveyed = the_loop.standing().survey(0)?;
                Ok(surveyed.into_iter().map(|(row, _)| row).collect())
            } else {
                the_loop.standing().list()
            }
        });
        rows.await?.map_err(|error: standing::Error| error.to_string())
    }

    /// Announces one session, if that is due. Gives back a thread that was made in vain.
    async fn announce(&self, row: &mut Row, settings: &Settings) -> Result<Option<Thread>, String> {
        if !wants_a_thread(row) || !self.is_due(row) {
            return Ok(None);
        }
        if row.slack_channel.is_empty() {
            let reason = "it has no channel: set `slack.channel` of the session or `channels.slack.channel`";
            return Err(self.fail(row, reason.to_owned(), PAUSES.1));
        }
        let text = words::announcement(row, &settings.slack.authorized_users, settings.slack.verbosity);
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
    async fn bind(&self, row: &mut Row, thread: Thread) -> Result<Option<Thread>, String> {
        self.threads.add(&thread).map_err(|error| self.fail(row, error.to_string(), PAUSES.1))?;
        let (the_loop, wanted) = (self.the_loop.clone(), thread.clone());
        let bound = blocking(move || {
            the_loop.standing().bind_thread(wanted.name.as_str(), &wanted.channel, wanted.ts.as_str())
        });
        match bound.await? {
            Ok(bound) if bound.slack_thread == thread.ts.as_str() => {
                row.slack_channel.clone_from(&thread.channel);
                row.slack_thread = thread.ts.to_string();
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).remove(&row.name);
                self.the_loop.emit(
                    Event::info("standing.announced")
                        .with("standing", row.name.as_str())
                        .with("channel", thread.channel.as_str())
                        .with("thread", thread.ts.as_str()),
                );
                Ok(None)
            }
            Ok(other) => {
                *row = other;
                Ok(Some(thread))
            }
            // It was deleted meanwhile: the thread is let go of like any other of a session that is gone.
            Err(standing::Error::Unknown { .. }) => Ok(None),
            Err(error) => Err(self.fail(row, error.to_string(), PAUSES.1)),
        }
    }

    fn is_due(&self, row: &Row) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(&row.name).is_none_or(|failed| failed.started_at != row.started_at || failed.again <= Instant::now())
    }

    /// How long to wait before the next try.
    fn pause(&self, row: &Row, error: &ApiError) -> Duration {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let last = failed.get(&row.name).filter(|failed| failed.started_at == row.started_at);
        let pause = match last {
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
            tell_failed(&self.the_loop, &row.name, &error);
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
pub(super) fn tell_failed(the_loop: &TheLoop, name: &str, error: &str) {
    let event = Event::new(Level::Warning, "standing.announce_failed");
    the_loop.emit(event.with("standing", name).with("error", error));
    tracing::warn!(session.name = name, error, "a session was not announced in Slack");
}

/// Runs what blocks beside the tasks. Once begun it comes to its end, even if nobody waits for it any more.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    task::spawn_blocking(work).await.map_err(|error| format!("it did not come to its end ({error})"))
}
