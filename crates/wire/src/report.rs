//! Reports of verbs.

use serde::{Deserialize, Serialize};

use crate::Row;

/// Result of a command on one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A new conversation was started.
    Started,
    /// The recorded conversation was resumed.
    Resumed,
    /// It was already running and was left untouched.
    AlreadyRunning,
    /// It was running and has been stopped; its conversation is kept.
    Stopped,
    /// It was not running, or was not started for the reason given.
    NotRunning,
    /// The verb failed, for the reason given.
    Failed,
    /// It was stopped and its record was removed.
    Deleted,
    /// The config is invalid.
    Misconfigured,
}

impl Outcome {
    /// False for the two outcomes that are failures.
    pub const fn is_ok(self) -> bool {
        !matches!(self, Self::Failed | Self::Misconfigured)
    }
}

/// Result of create, delete, start, stop or restart, with one row per session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ControlReport {
    /// Sessions after the command, each with its outcome.
    pub sessions: Vec<Row>,
    /// Result of the stop, for a restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub stopped: Option<Vec<Row>>,
    /// True if all outcomes are successes.
    pub ok: bool,
}

impl ControlReport {
    /// Builds a report of these rows; `ok` follows from their outcomes.
    pub fn of(sessions: Vec<Row>) -> Self {
        let ok = sessions.iter().all(|row| row.outcome.is_none_or(Outcome::is_ok));
        Self { sessions, stopped: None, ok }
    }
}
