//! Reports of verbs.

use serde::{Deserialize, Serialize};

use crate::{Outcome, Row};

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
