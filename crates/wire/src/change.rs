//! What a stream tells of a session: that it changed, not what it is. Whoever wants to know reads it anew.

use serde::{Deserialize, Serialize};

use crate::{Activity, Row, State, Status};

/// A session changed. Telling the same twice does no harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionChange {
    /// The session.
    pub name: String,
    /// False once it is neither declared nor recorded any more.
    pub listed: bool,
    /// The exact state.
    pub state: State,
    /// The coarse status.
    pub status: Status,
    /// True only if its harness was seen alive.
    pub running: bool,
    /// What the harness is doing, where that can be read.
    pub activity: Activity,
}

impl SessionChange {
    /// What is true of a session that is listed.
    pub fn of(row: &Row) -> Self {
        Self {
            name: row.name.clone(),
            listed: true,
            state: row.state,
            status: row.status,
            running: row.running,
            activity: row.activity,
        }
    }

    /// What is true of one that is listed no more.
    pub fn gone(name: &str) -> Self {
        Self { listed: false, ..Self::of(&Row::titled(name)) }
    }
}
