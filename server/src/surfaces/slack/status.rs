//! How the listener is: kept in a file, so that the command line can tell without asking the service.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
};

use files::write::Durability;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{api::ApiError, blocking::blocking, folder::Folder, slowed::Slowed, ts::Ts};

const FILE: &str = "slack.status.json";

/// What the listener does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hearing {
    /// Slack is off, or replies are not read.
    #[default]
    Off,
    /// It tries to hear.
    Connecting,
    /// It hears.
    Connected,
    /// It cannot hear before somebody mends something.
    Stuck,
}

/// How the listener is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// Whose status it is.
    pub pid: u32,
    /// `socket`, `poll` or `off`.
    pub mode: String,
    /// What it does.
    pub hearing: Hearing,
    /// Since when, `YYYY-MM-DDTHH:MM:SSZ`.
    pub since: String,
    /// When the last message was heard of, in the same form; empty for never.
    pub last_event_at: String,
    /// What went wrong last; empty if all is well.
    pub problem: String,
    /// What went wrong in which channel last; empty if all is well.
    pub channel_problems: BTreeMap<String, String>,
    /// How reading is slowed by Slack's rate limit, if it is.
    pub slowed: Option<Slowed>,
    /// The bot's name in Slack.
    pub bot: String,
    /// The workspace's name.
    pub team: String,
    /// How many threads are bound.
    pub threads: usize,
    /// How many replies are accepted and not yet done with.
    pub pending: usize,
    /// The stamp of the last message of our own that came back, and its channel.
    pub own_heard: String,
}

/// The status of this process, written down as it changes by whoever runs [`Board::write_down`].
#[derive(Debug)]
pub(super) struct Board {
    status: watch::Sender<Status>,
    /// What goes wrong in a channel, by channel and by what it keeps from being done.
    failures: Mutex<BTreeMap<(String, &'static str), String>>,
}

impl Board {
    pub(super) fn new(mode: &str) -> Self {
        let status = Status { pid: std::process::id(), mode: mode.to_owned(), since: now(), ..Status::default() };
        Self { status: watch::Sender::new(status), failures: Mutex::default() }
    }

    /// Writes the status down whenever it changed, the newest alone, without end.
    pub(super) async fn write_down(&self, folder: Folder) {
        let mut changes = self.status.subscribe();
        changes.mark_changed();
        while changes.changed().await.is_ok() {
            let text = serde_json::to_string(&*changes.borrow_and_update()).unwrap_or_default();
            let at = folder.clone();
            // Nobody is kept from hearing by a status that cannot be told.
            let _ = blocking(move || at.write(FILE, &text, Durability::Crash)).await;
        }
    }

    /// Changes the status.
    pub(super) fn set(&self, change: impl FnOnce(&mut Status)) {
        self.status.send_if_modified(|status| {
            let before = status.clone();
            change(status);
            if status.hearing != before.hearing {
                status.since = now();
            }
            *status != before
        });
    }

    /// Something could not be done in a channel. It is told in the status, and in the log if it is new.
    pub(super) fn failed(&self, channel: &str, what: &'static str, error: &ApiError) {
        let told = error.to_string();
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let before = failures.insert((channel.to_owned(), what), told.clone());
        if before.as_ref() != Some(&told) {
            tracing::warn!(channel, error = told, "cannot {what} in a Slack channel");
        }
        self.tell(&failures);
    }

    /// Something could be done in a channel.
    pub(super) fn mended(&self, channel: &str, what: &'static str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.remove(&(channel.to_owned(), what)).is_some() {
            tracing::info!(channel, "can {what} again in a Slack channel");
            self.tell(&failures);
        }
    }

    fn tell(&self, failures: &BTreeMap<(String, &'static str), String>) {
        let mut told: BTreeMap<String, String> = BTreeMap::new();
        for ((channel, what), error) in failures {
            let line = told.entry(channel.clone()).or_default();
            *line = format!("{line}{}cannot {what}: {error}", if line.is_empty() { "" } else { "; " });
        }
        self.set(|status| status.channel_problems = told);
    }

    /// What went wrong last.
    pub(super) fn problem(&self) -> String {
        self.status.borrow().problem.clone()
    }

    /// A message was heard of.
    pub(super) fn heard(&self) {
        self.set(|status| status.last_event_at = now());
    }

    /// A message of our own came back.
    pub(super) fn heard_own(&self, channel: &str, ts: &Ts) {
        self.set(|status| status.own_heard = own(channel, ts));
    }
}

/// A message of our own, as the status names it.
pub(super) fn own(channel: &str, ts: &Ts) -> String {
    format!("{channel} {ts}")
}

/// The status as last written down, if there is one.
pub(super) fn read(folder: &Folder) -> io::Result<Option<Status>> {
    Ok(serde_json::from_str(&folder.read(FILE)?).ok())
}

pub(super) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
