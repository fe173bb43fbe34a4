//! History of a session: what was said in its conversations.

use serde::{Deserialize, Serialize};

/// Author of a text in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Speaker {
    /// A person or a program that wrote to the agent.
    User,
    /// The agent.
    Agent,
}

/// Text in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Spoken {
    /// Time, as the harness recorded it; empty if it did not.
    pub at: String,
    /// Author.
    pub speaker: Speaker,
    /// Name of the sender of a message; empty for other texts.
    #[serde(default)]
    pub actor: String,
    /// Id of a message; empty for other texts.
    #[serde(default)]
    pub message_id: String,
    /// Text, without the line before a message.
    pub text: String,
    /// Conversation.
    pub conversation: String,
}

/// History of a session, oldest text first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct History {
    /// Name of the session.
    pub name: String,
    /// Last texts of its conversations, former ones included.
    pub texts: Vec<Spoken>,
    /// True if the transcripts of the harness cannot be read: there may be texts that are not listed.
    pub incomplete: bool,
}
