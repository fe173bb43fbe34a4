//! Record of a session: the whole definition of a created session, and the known facts of every session that was ever
//! started.
//!
//! The first sixteen keys are published and shared with other programs; the rest are private. Unknown keys survive a
//! rewrite.

mod published;

use std::path::PathBuf;

use harness::account::Account;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wire::SessionName;

pub(crate) use published::WITHOUT_NAMES;

use crate::{
    process::ProcessIdentity,
    text::inert_line,
    variables::{Env, Secrets},
};

/// Newest format of the private keys that this program reads and writes.
const FORMAT: u32 = 1;

/// Contents of a session's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) name: SessionName,
    #[serde(default)]
    pub(crate) harness: String,
    #[serde(default)]
    pub(crate) harness_session_id: String,
    #[serde(default)]
    pub(crate) cwd: String,
    /// Written for other readers, never trusted: it follows from the name.
    #[serde(default)]
    pub(crate) tmux_target: String,
    #[serde(default)]
    pub(crate) status: RecordStatus,
    #[serde(default)]
    pub(crate) created_at: String,
    #[serde(default)]
    pub(crate) started_at: String,
    #[serde(default)]
    pub(crate) last_message_at: String,
    #[serde(default)]
    pub(crate) slack_channel: String,
    #[serde(default)]
    pub(crate) slack_thread: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) harness_args: Vec<String>,
    #[serde(default)]
    pub(crate) prompt: String,
    #[serde(default = "yes")]
    pub(crate) auto_start: bool,
    #[serde(default)]
    pub(crate) slack_enabled: bool,

    /// Format of the keys below; absent in a record of another program.
    #[serde(default)]
    pub(crate) format: u32,
    #[serde(default)]
    pub(crate) origin: Origin,
    /// Part of the-loop that created the session, as the event log names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) created_by: String,
    /// Operation that was last begun, written before it is carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<Phase>,
    /// True if `harnessArgs` follows changes of the config.
    #[serde(default)]
    pub(crate) harness_args_inherited: bool,
    /// Id that marks session, pane and processes of the last spawn.
    #[serde(default)]
    pub(crate) loop_id: String,
    /// Time of the last spawn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) spawned_at: String,
    /// Time when the session was last stopped, or when the stopping caller saw that it had ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stopped_at: String,
    /// Harness process of the last spawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<ProcessIdentity>,
    /// tmux server of the last spawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<Server>,
    /// Conversation of a fresh start in progress. It replaces the previous conversation once the harness has proven to
    /// run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pending: Option<Pending>,
    /// Earlier conversations of the session, or ones that could not be resumed, newest last. None is ever forgotten
    /// without a trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former_session_ids: Vec<String>,
    /// Variables that the definition sets.
    #[serde(default, skip_serializing_if = "Env::is_empty")]
    pub(crate) env: Env,
    /// Variables with secret values: the source of each value, never the value.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub(crate) secrets: Secrets,
    /// Account that the harness was last started in; empty if unknown.
    #[serde(default, skip_serializing_if = "Account::is_empty")]
    pub(crate) account: Account,
    /// Keys of the definition that the copy in the tmux session lacks; `None` in a record itself, and in a copy of a
    /// version that did not list them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<Vec<String>>,

    #[serde(flatten)]
    other: Map<String, Value>,
}

const fn yes() -> bool {
    true
}

/// tmux server that a session was spawned on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Server {
    pub(crate) process: ProcessIdentity,
    /// Path of its socket.
    pub(crate) socket: PathBuf,
}

/// Fresh conversation that is not proven yet, with its own place and arguments. Until it is proven, the record's own
/// fields for these describe the previous conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pending {
    /// Conversation id; empty if the harness makes its own.
    pub(crate) session_id: String,
    pub(crate) harness: String,
    pub(crate) cwd: String,
    #[serde(default, skip_serializing_if = "Account::is_empty")]
    pub(crate) account: Account,
}

/// Coarse status that other readers know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordStatus {
    Running,
    #[default]
    Stopped,
}

/// Source of the definition in the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    /// From a create: the record is the declaration.
    #[default]
    Created,
    /// From the config, as it was at the last start.
    Declared,
}

/// Operation that was last begun. The intent is written before the act, so the next caller knows what to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// Recorded, never started.
    Created,
    /// A spawn was about to happen.
    Starting,
    /// The harness has proven to run.
    Running,
    /// The harness was about to be signalled.
    Stopping,
    /// The session was stopped.
    Stopped,
    /// The session was about to be stopped and its record removed.
    Deleting,
}

impl Phase {
    /// Returns the word that the record uses.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Deleting => "deleting",
        }
    }

    /// True while a verb works on the session, or after a crash interrupted that verb.
    pub(crate) const fn is_unfinished(self) -> bool {
        matches!(self, Self::Starting | Self::Stopping | Self::Deleting)
    }
}

impl Record {
    pub(crate) fn new(name: &SessionName, created_at: String) -> Self {
        Self {
            name: name.clone(),
            harness: String::new(),
            harness_session_id: String::new(),
            cwd: String::new(),
            tmux_target: name.tmux_session(),
            status: RecordStatus::Stopped,
            created_at,
            started_at: String::new(),
            last_message_at: String::new(),
            slack_channel: String::new(),
            slack_thread: String::new(),
            description: String::new(),
            harness_args: Vec::new(),
            prompt: String::new(),
            auto_start: true,
            slack_enabled: false,
            format: FORMAT,
            origin: Origin::Created,
            created_by: String::new(),
            phase: Some(Phase::Created),
            harness_args_inherited: false,
            loop_id: String::new(),
            spawned_at: String::new(),
            stopped_at: String::new(),
            process: None,
            server: None,
            pending: None,
            former_session_ids: Vec::new(),
            env: Env::new(),
            secrets: Secrets::new(),
            account: Account::default(),
            left_out: None,
            other: Map::new(),
        }
    }

    /// Parses a record; the error says what is wrong and where in the file.
    pub(crate) fn parse(text: &str, name: &SessionName) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("it is empty".to_owned());
        }
        let mut record: Self = serde_json::from_str(text).map_err(|error| inert_line(&error.to_string()))?;
        if record.format > FORMAT {
            return Err(format!(
                "written by a newer version of the-loop (format {}, supported up to {FORMAT})",
                record.format
            ));
        }
        if record.name != *name {
            return Err(format!("the name in it is `{}`", record.name));
        }
        record.tmux_target = name.tmux_session();
        Ok(record)
    }

    pub(crate) fn to_json(&self) -> String {
        let mut record = self.clone();
        record.format = FORMAT;
        let mut text = serde_json::to_string_pretty(&record).unwrap_or_default();
        text.push('\n');
        text
    }

    /// True while only another program has ever started this session: its record has no loop id.
    pub(crate) fn of_another_program(&self) -> bool {
        self.phase.is_none() && self.loop_id.is_empty()
    }

    /// Makes the pending conversation the session's own and remembers the previous one.
    pub(crate) fn keep_pending(&mut self) {
        let Some(Pending { session_id, harness, cwd, account }) = self.pending.take() else { return };
        let former = std::mem::replace(&mut self.harness_session_id, session_id);
        self.remember_former(&former);
        (self.harness, self.cwd) = (harness, cwd);
        if !account.is_empty() {
            self.account = account;
        }
    }

    /// Remembers a conversation that the session leaves.
    pub(crate) fn remember_former(&mut self, id: &str) {
        if id.is_empty() || self.former_session_ids.iter().any(|known| known == id) {
            return;
        }
        self.former_session_ids.push(id.to_owned());
    }
}

#[cfg(test)]
mod tests;
