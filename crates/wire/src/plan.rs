//! Plan of a start, which changes nothing.

use serde::{Deserialize, Serialize};

use crate::{Remedy, State};

/// Action that `the-loop start` would take on one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlannedAction {
    /// Start a new conversation.
    Start,
    /// Resume the recorded conversation.
    Resume,
    /// Leave it untouched, since it is already running.
    LeaveRunning,
    /// Not start it, for the reason given.
    Leave,
    /// Try to start it and fail, for the reason given.
    Fail,
}

impl PlannedAction {
    /// Returns the published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Resume => "resume",
            Self::LeaveRunning => "leave-running",
            Self::Leave => "leave",
            Self::Fail => "fail",
        }
    }
}

/// Session in the config, in the registry and in tmux, with the action that a start would take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedSession {
    /// Name of the session.
    pub name: String,
    /// True if the config declares it.
    pub declared: bool,
    /// Phase in its record: `created`, `starting`, `running`, `stopping`, `stopped`, `deleting`, or `unreadable`;
    /// empty without a record.
    pub recorded: String,
    /// State of the session.
    pub state: State,
    /// True if the session is started automatically.
    pub auto_start: bool,
    /// Harness that it would run.
    pub harness: String,
    /// Action that a start would take.
    pub action: PlannedAction,
    /// Reason or further details, followed by the remedies as text; may be empty.
    pub detail: String,
    /// Actions that help, most likely first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}
