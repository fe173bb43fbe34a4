//! What a verb did.

use serde::{Deserialize, Serialize};

use crate::Row;

/// Result of a command on one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A fresh conversation was begun.
    Started,
    /// The recorded conversation goes on.
    Resumed,
    /// It was running and was left untouched.
    AlreadyRunning,
    /// It was running and is no more; its conversation is kept.
    Stopped,
    /// There was nothing to stop, or it was left unstarted for the reason given.
    NotRunning,
    /// The verb did not succeed, for the reason given.
    Failed,
    /// It was stopped and its record removed.
    Deleted,
    /// The config cannot be used.
    Misconfigured,
}

impl Outcome {
    /// False for the two outcomes that a caller must not take for success.
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
    /// A report over these rows; `ok` follows from their outcomes.
    pub fn of(sessions: Vec<Row>) -> Self {
        let ok = sessions.iter().all(|row| row.outcome.is_none_or(Outcome::is_ok));
        Self { sessions, stopped: None, ok }
    }
}
