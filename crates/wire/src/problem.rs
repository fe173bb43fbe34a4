//! A refusal or fault, in the form of RFC 9457 (`application/problem+json`).

use serde::{Deserialize, Serialize};

/// The stable code of a problem: few, and part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The name does not follow the pattern.
    InvalidName,
    /// The request is understood and cannot be done as asked.
    InvalidRequest,
    /// A field is missing, unknown or of the wrong type.
    InvalidBody,
    /// The name is declared or recorded already.
    NameTaken,
    /// The session is declared, and the verb is for created ones.
    Declared,
    /// No session has that name.
    UnknownSession,
    /// The session does not run, and the verb needs it running.
    NotRunning,
    /// The session waits on a dialog.
    Waiting,
    /// The session does not ask what is to be answered.
    NotWaiting,
    /// Text that was not submitted stands in the session's input box.
    UnsentText,
    /// The message is over the size limit.
    TooLarge,
    /// The config cannot be used.
    Misconfigured,
    /// A record cannot be read or written.
    Registry,
    /// tmux did not answer.
    TmuxSilent,
    /// Another verb holds the session.
    Busy,
    /// The same idempotency key came with another message.
    KeyReused,
    /// Who asks is not let in.
    Forbidden,
    /// There is no such route or method.
    NoRoute,
    /// Too many requests.
    TooMany,
    /// A fault of ours.
    Internal,
}

impl ProblemCode {
    /// The published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidName => "invalid-name",
            Self::InvalidRequest => "invalid-request",
            Self::InvalidBody => "invalid-body",
            Self::NameTaken => "name-taken",
            Self::Declared => "declared",
            Self::UnknownSession => "unknown-session",
            Self::NotRunning => "not-running",
            Self::Waiting => "waiting",
            Self::NotWaiting => "not-waiting",
            Self::UnsentText => "unsent-text",
            Self::TooLarge => "too-large",
            Self::Misconfigured => "misconfigured",
            Self::Registry => "registry",
            Self::TmuxSilent => "tmux-silent",
            Self::Busy => "busy",
            Self::KeyReused => "key-reused",
            Self::Forbidden => "forbidden",
            Self::NoRoute => "no-route",
            Self::TooMany => "too-many",
            Self::Internal => "internal",
        }
    }

    /// The HTTP status a surface that has one answers with.
    pub const fn http_status(self) -> u16 {
        match self {
            Self::InvalidName | Self::InvalidRequest | Self::NameTaken | Self::Declared | Self::Misconfigured => 400,
            Self::Forbidden => 403,
            Self::UnknownSession | Self::NotRunning | Self::NoRoute => 404,
            Self::Waiting | Self::NotWaiting | Self::UnsentText | Self::KeyReused => 409,
            Self::TooLarge => 413,
            Self::InvalidBody => 422,
            Self::TooMany => 429,
            Self::Registry | Self::Internal => 500,
            Self::TmuxSilent | Self::Busy => 503,
        }
    }

    /// What the command line exits with: 2 for the caller's mistake or a config that cannot be used, else 1.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::InvalidName
            | Self::InvalidRequest
            | Self::InvalidBody
            | Self::NameTaken
            | Self::Declared
            | Self::TooLarge
            | Self::KeyReused
            | Self::Misconfigured => 2,
            _ => 1,
        }
    }

    /// The same for every occurrence, for a person.
    pub const fn title(self) -> &'static str {
        match self {
            Self::InvalidName => "Not a session name",
            Self::InvalidRequest => "Cannot be done as asked",
            Self::InvalidBody => "The body or query is not what this route takes",
            Self::NameTaken => "The name is taken",
            Self::Declared => "The session is declared in the config",
            Self::UnknownSession => "No such session",
            Self::NotRunning => "The session is not running",
            Self::Waiting => "The session waits for an answer",
            Self::NotWaiting => "The session does not ask that",
            Self::UnsentText => "The input box holds text that was not sent",
            Self::TooLarge => "The message is too large",
            Self::Misconfigured => "The config cannot be used",
            Self::Registry => "A record cannot be read or written",
            Self::TmuxSilent => "tmux did not answer",
            Self::Busy => "Another verb holds the session",
            Self::KeyReused => "The idempotency key was used for another message",
            Self::Forbidden => "Not let in",
            Self::NoRoute => "No such route",
            Self::TooMany => "Too many requests",
            Self::Internal => "A fault of the service",
        }
    }
}

/// A refusal or fault as it is sent to a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Problem {
    /// `urn:the-loop:problem:<code>`: stable.
    #[serde(rename = "type")]
    #[cfg_attr(
        feature = "schema",
        schema(pattern = "^urn:the-loop:problem:[a-z-]+$", example = "urn:the-loop:problem:unknown-session")
    )]
    pub kind: String,
    /// The same for every occurrence of the code.
    pub title: String,
    /// The HTTP status, repeated.
    #[cfg_attr(feature = "schema", schema(minimum = 400, maximum = 599, example = 404))]
    pub status: u16,
    /// What happened here, and what to do next.
    pub detail: String,
    /// The stable code.
    pub code: ProblemCode,
    /// The id of the request, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub instance: Option<String>,
}

impl Problem {
    /// A problem with the status of its code.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:the-loop:problem:{}", code.as_str()),
            title: code.title().to_owned(),
            status: code.http_status(),
            detail: detail.into(),
            code,
            instance: None,
        }
    }

    /// The same problem under another HTTP status (405, 415 and the like).
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}
