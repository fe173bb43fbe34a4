//! Receipts of messages.

use serde::{Deserialize, Serialize};

use crate::Turn;

/// Certainty that the harness received the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// There is evidence that the harness accepted the message as a turn.
    Submitted,
    /// The harness keeps the message in its own queue until the current turn ends. The message is tracked until it
    /// becomes a turn.
    Queued,
    /// The message was pasted and Enter was sent, without evidence that the harness accepted it.
    Unconfirmed,
    /// The message did not reach the pane.
    NotDelivered,
}

/// Evidence for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The message is in the harness's own transcript.
    Transcript,
    /// The harness's input box accepted the text and is empty again.
    InputEmptied,
    /// The message is in the harness's own queue: in its transcript, or on its screen while it works.
    Queue,
    /// The answered prompt is no longer on the screen.
    QuestionGone,
    /// No evidence.
    None,
}

/// Stream of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Line of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Message {
    /// Stream that the line belongs to.
    pub stream: Stream,
    /// Text of the line.
    pub text: String,
}

impl Message {
    /// Returns a line for standard output.
    pub fn out(text: impl Into<String>) -> Self {
        Self { stream: Stream::Out, text: text.into() }
    }

    /// Returns a line for standard error.
    pub fn err(text: impl Into<String>) -> Self {
        Self { stream: Stream::Err, text: text.into() }
    }
}

/// Receipt of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SayReceipt {
    /// Name of the session.
    pub name: String,
    /// False if the message did not reach the pane.
    pub delivered: bool,
    /// Exit status of the command line: 0 if delivered, otherwise 1.
    #[cfg_attr(feature = "schema", schema(maximum = 1))]
    pub exit_code: u8,
    /// Lines for people.
    pub messages: Vec<Message>,
    /// Certainty of the delivery.
    pub verdict: Verdict,
    /// Evidence for the verdict.
    pub evidence: Evidence,
    /// Id of the message, as in the event log and in the line before its text.
    pub message_id: String,
    /// Turn of the message, if the request has `wait`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}
