//! Obstacles of a running session: why its harness makes no progress, with the evidence.
//!
//! An obstacle is never inferred from silence alone, except `stalled`, which is silence for longer than the config
//! allows. Without evidence, a row has no obstacle.

use serde::{Deserialize, Serialize};

/// Kind of obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// The account reached a usage limit.
    Limited,
    /// The account is not signed in.
    LoggedOut,
    /// The account has no credit left.
    NoCredit,
    /// The vendor's service is overloaded or fails.
    Overloaded,
    /// The vendor refused the request.
    Refused,
    /// The conversation no longer fits the model's context.
    ContextFull,
    /// The harness has been working without progress for longer than `routing.stalledAfter`.
    Stalled,
}

/// Obstacle of a running session, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Blocked {
    /// Kind of obstacle.
    pub kind: Block,
    /// Time of the first evidence, `YYYY-MM-DDTHH:MM:SSZ`; empty if unknown.
    #[cfg_attr(
        feature = "schema",
        schema(
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub since: String,
    /// Time at which it ends, in the same format; left out if the harness names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(
            nullable = false,
            pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
            example = "2026-11-29T13:00:00Z"
        )
    )]
    pub until: Option<String>,
    /// Source of the evidence and its words, for people.
    #[cfg_attr(
        feature = "schema",
        schema(example = "its transcript says: You've hit your 5-hour limit · resets 1:02am (UTC)")
    )]
    pub evidence: String,
}
