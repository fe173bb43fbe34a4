//! Turn of a message: from the message to the answer of the agent.

use serde::{Deserialize, Serialize};

/// State of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TurnState {
    /// The message waits for its turn, or the agent works on it.
    Working,
    /// The agent has answered.
    Answered,
    /// The agent cannot continue: a prompt is open, or its vendor refused a request.
    Blocked,
    /// The turn ended without an answer that is certainly its own: it was interrupted, its process ended, or the
    /// conversation was changed.
    LostTrack,
    /// The turns of this harness cannot be followed.
    NotFollowed,
}

impl TurnState {
    /// True if waiting longer may bring an answer.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Working)
    }

    /// Returns the exit status of a command that ends with this state.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Working => 3,
            Self::Blocked => 4,
            Self::LostTrack | Self::NotFollowed => 5,
        }
    }
}

/// Turn of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Name of the session.
    pub name: String,
    /// Id of the message, as in its receipt.
    pub message_id: String,
    /// State of the turn.
    pub state: TurnState,
    /// Answer of the agent; empty unless the state is `answered`.
    #[serde(default)]
    pub answer: String,
    /// Reason of `blocked`, `lost-track` and `not-followed`, for people; otherwise empty.
    #[serde(default)]
    pub reason: String,
    /// Ids of other messages that the same answer is for: some agents read all queued messages as one turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_with: Vec<String>,
}
