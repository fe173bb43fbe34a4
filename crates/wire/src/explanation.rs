//! Explanations: each source of a session's state, and why one of them counts.

use serde::{Deserialize, Serialize};

use crate::{Activity, Blocked, State};

/// Source of a session's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Answer of tmux: pane and process.
    Tmux,
    /// Hook of the harness.
    Hook,
    /// Status file that the harness keeps while it runs.
    SessionFile,
    /// Transcript of the conversation.
    Transcript,
    /// Screen of the pane.
    Screen,
    /// Title of the pane.
    Title,
}

/// Statement of a source about a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    /// Source.
    pub source: Source,
    /// Its statement, for people.
    pub says: String,
    /// Time of the statement, `YYYY-MM-DDTHH:MM:SSZ`; empty if unknown.
    pub at: String,
    /// Age of the statement in seconds; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub age: Option<u64>,
}

/// State of a session, with every source and the reason why one of them counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Name of the session.
    pub name: String,
    /// State of the session.
    pub state: State,
    /// Activity of the harness.
    pub activity: Activity,
    /// Obstacle of the session; left out without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub blocked: Option<Blocked>,
    /// Label of the session, as every list shows it.
    pub label: String,
    /// Start time of the current activity or obstacle; empty if unknown.
    pub since: String,
    /// Reason for the state, for people; may be empty.
    pub reason: String,
    /// Source that decided the activity; left out if none did, or if an obstacle did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub decided_by: Option<Source>,
    /// Reason why it counts, for people.
    pub why: String,
    /// Every source that says something.
    pub witnesses: Vec<Witness>,
}
