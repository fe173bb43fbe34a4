//! Status of the listener, kept in a file so that the command line can show it without a call to the service.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
};

use files::write::Durability;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{api::ApiError, blocking::blocking, folder::Folder, slowed::Slowed, timing::now, ts::Ts};

const FILE: &str = "slack.status.json";

/// Connection state of the listener.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hearing {
    /// Slack is disabled, or replies are not read.
    #[default]
    Off,
    /// The listener is connecting.
    Connecting,
    /// The listener receives replies.
    Connected,
    /// The listener cannot connect until an operator fixes a problem.
    Stuck,
}

/// Status of the listener.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// Process ID of the listener.
    pub pid: u32,
    /// Read mode: `socket`, `poll` or `off`.
    pub mode: String,
    /// Connection state.
    pub hearing: Hearing,
    /// Start of this state, `YYYY-MM-DDTHH:MM:SSZ`.
    pub since: String,
    /// Time of the last received message, in the same form; empty if there is none.
    pub last_event_at: String,
    /// Last problem; empty if there is none.
    pub problem: String,
    /// Last problem of each channel that has one.
    pub channel_problems: BTreeMap<String, String>,
    /// Effect of Slack's rate limit on reading, if any.
    pub slowed: Option<Slowed>,
    /// Name of the bot in Slack.
    pub bot: String,
    /// Name of the workspace.
    pub team: String,
    /// Number of bound threads.
    pub threads: usize,
    /// Number of accepted replies that are not finished.
    pub pending: usize,
    /// Channel and time stamp of the last message of this app that came back.
    pub own_heard: String,
}

/// Status of this process. The task that runs [`Board::write_down`] writes each change to the file.
#[derive(Debug)]
pub(super) struct Board {
    status: watch::Sender<Status>,
    /// Failures by channel and by the operation that failed.
    failures: Mutex<BTreeMap<(String, &'static str), String>>,
}

impl Board {
    pub(super) fn new(mode: &str) -> Self {
        let status = Status { pid: std::process::id(), mode: mode.to_owned(), since: now(), ..Status::default() };
        Self { status: watch::Sender::new(status), failures: Mutex::default() }
    }

    /// Writes the latest status after each change. Never ends.
    pub(super) async fn write_down(&self, folder: Folder) {
        let mut changes = self.status.subscribe();
        changes.mark_changed();
        while changes.changed().await.is_ok() {
            let text = serde_json::to_string(&*changes.borrow_and_update()).unwrap_or_default();
            let at = folder.clone();
            // A status that could not be written does not stop the listener.
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

    /// Records a failed operation in a channel. The failure goes into the status, and into the log if it is new.
    pub(super) fn failed(&self, channel: &str, what: &'static str, error: &ApiError) {
        let told = error.to_string();
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let before = failures.insert((channel.to_owned(), what), told.clone());
        if before.as_ref() != Some(&told) {
            tracing::warn!(channel, error = told, "cannot {what} in a Slack channel");
        }
        self.tell(&failures);
    }

    /// Records that an operation in a channel succeeded.
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

    /// Returns the last problem.
    pub(super) fn problem(&self) -> String {
        self.status.borrow().problem.clone()
    }

    /// Records that a message was received.
    pub(super) fn heard(&self) {
        self.set(|status| status.last_event_at = now());
    }

    /// Records that a message of this app came back.
    pub(super) fn heard_own(&self, channel: &str, ts: &Ts) {
        self.set(|status| status.own_heard = own(channel, ts));
    }
}

/// Returns the key of a message of this app in the status.
pub(super) fn own(channel: &str, ts: &Ts) -> String {
    format!("{channel} {ts}")
}

/// Reads the status as last written, if there is one.
pub(super) fn read(folder: &Folder) -> io::Result<Option<Status>> {
    Ok(serde_json::from_str(&folder.read(FILE)?).ok())
}
