//! What a start would do, without doing it.

use serde::{Deserialize, Serialize};

use crate::State;

/// What `the-loop start` would do about one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlannedAction {
    /// It would begin a fresh conversation.
    Start,
    /// It would go on with the recorded conversation.
    Resume,
    /// It would find it running and leave it untouched.
    LeaveRunning,
    /// It would not start it, for the reason given.
    Leave,
    /// It would try and not succeed, for the reason given.
    Fail,
}

impl PlannedAction {
    /// The published word.
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

/// One session in the config, in the registry and in tmux, and what a start would do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedSession {
    /// Its name.
    pub name: String,
    /// Whether the config declares it.
    pub declared: bool,
    /// What its record says: `created`, `starting`, `running`, `stopping`, `stopped`, `deleting`, or that it is
    /// `unreadable`; empty without one.
    pub recorded: String,
    /// What is true of it.
    pub state: State,
    /// Whether it starts by itself.
    pub auto_start: bool,
    /// The harness it would run.
    pub harness: String,
    /// What a start would do.
    pub action: PlannedAction,
    /// Why, or what else there is to know; may be empty.
    pub detail: String,
}
