//! How the listener is: kept in a file, so that the command line can tell without asking the service.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{folder::Folder, ts::Ts};

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

/// The status of this process, written down as it changes.
#[derive(Debug)]
pub(super) struct Board {
    folder: Folder,
    status: Mutex<Status>,
}

impl Board {
    pub(super) fn new(folder: &Folder, mode: &str) -> Self {
        let status = Status { pid: std::process::id(), mode: mode.to_owned(), since: now(), ..Status::default() };
        Self { folder: folder.clone(), status: Mutex::new(status) }
    }

    /// Changes the status; it is written down if that made a difference.
    pub(super) fn set(&self, change: impl FnOnce(&mut Status)) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        let before = status.clone();
        change(&mut status);
        if status.hearing != before.hearing {
            status.since = now();
        }
        if *status != before {
            // Nobody is kept from hearing by a status that cannot be told.
            let _ = self.folder.write(FILE, &serde_json::to_string(&*status).unwrap_or_default(), false);
        }
    }

    /// What went wrong last.
    pub(super) fn problem(&self) -> String {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).problem.clone()
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

fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
