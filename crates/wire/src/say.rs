//! What became of a message.

use serde::{Deserialize, Serialize};

/// How sure it is that the harness took the message as a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// There is evidence that the harness took it as a turn.
    Submitted,
    /// The harness holds it in its own queue until the turn in hand is over. It is followed until it becomes a turn.
    Queued,
    /// It was pasted and Enter was sent; nothing proves that it was taken.
    Unconfirmed,
    /// It did not reach the pane.
    NotDelivered,
}

impl Verdict {
    /// The published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Queued => "queued",
            Self::Unconfirmed => "unconfirmed",
            Self::NotDelivered => "not-delivered",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The message stands in the harness's own transcript.
    Transcript,
    /// The harness's input box took the text and is empty again.
    InputEmptied,
    /// The harness's own queue holds the message: in its transcript, or on its screen while it works.
    Queue,
    /// The question that was answered is gone from the screen.
    QuestionGone,
    /// None.
    None,
}

/// Where a line of a receipt belongs on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// One line of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Message {
    /// Where it belongs.
    pub stream: Stream,
    /// The line.
    pub text: String,
}

impl Message {
    /// A line for standard output.
    pub fn out(text: impl Into<String>) -> Self {
        Self { stream: Stream::Out, text: text.into() }
    }

    /// A line for standard error.
    pub fn err(text: impl Into<String>) -> Self {
        Self { stream: Stream::Err, text: text.into() }
    }
}

/// What became of one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SayReceipt {
    /// The session spoken to.
    pub name: String,
    /// False if the text did not reach the pane.
    pub delivered: bool,
    /// 0 if it was delivered, else 1: what the command line exits with.
    #[cfg_attr(feature = "schema", schema(maximum = 1))]
    pub exit_code: u8,
    /// What there is to say of it.
    pub messages: Vec<Message>,
    /// How sure it is that the message was taken.
    pub verdict: Verdict,
    /// What the verdict rests on.
    pub evidence: Evidence,
    /// The id of this delivery, also in the event log.
    pub message_id: String,
}
