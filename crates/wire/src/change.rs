//! Change events of a stream. An event says that a session changed; a client that needs the details reads the session
//! again.

use serde::{Deserialize, Serialize};

use crate::{Activity, Block, Row, State, Status};

/// Change of a session. The same change may be sent twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionChange {
    /// The session.
    pub name: String,
    /// False once the session is neither declared nor recorded.
    pub listed: bool,
    /// State of the session.
    pub state: State,
    /// Status in three values, for existing clients; see `state`.
    pub status: Status,
    /// True only if the harness was confirmed to be running.
    pub running: bool,
    /// Activity of the harness.
    pub activity: Activity,
    /// Obstacle of a running session; left out without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub blocked: Option<Block>,
}

impl SessionChange {
    /// Returns the change of a listed session.
    pub fn of(row: &Row) -> Self {
        Self {
            name: row.name.clone(),
            listed: true,
            state: row.state,
            status: row.status,
            running: row.running,
            activity: row.activity,
            blocked: row.blocked.as_ref().map(|blocked| blocked.kind),
        }
    }

    /// Returns the change of a session that is no longer listed.
    pub fn gone(name: &str) -> Self {
        Self { listed: false, ..Self::of(&Row::titled(name)) }
    }
}
