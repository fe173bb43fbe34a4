//! Errors for clients, in the format of RFC 9457 (`application/problem+json`).

use serde::{Deserialize, Serialize};

use crate::Remedy;

/// Stable code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The name does not follow the pattern.
    InvalidName,
    /// The request is valid and cannot be done as asked.
    InvalidRequest,
    /// A field is missing, unknown or of the wrong type.
    InvalidBody,
    /// The name is already declared or recorded.
    NameTaken,
    /// The session is declared, and the verb works only on created ones.
    Declared,
    /// No session has this name.
    UnknownSession,
    /// No message with this id is known.
    UnknownMessage,
    /// The session is not running, and the verb needs a running session.
    NotRunning,
    /// The session waits at a prompt.
    Waiting,
    /// The session does not show the prompt that should be answered.
    NotWaiting,
    /// The input box of the session contains unsent text.
    UnsentText,
    /// The message exceeds the size limit.
    TooLarge,
    /// The config is invalid.
    Misconfigured,
    /// A record could not be read or written.
    Registry,
    /// tmux did not answer.
    TmuxSilent,
    /// Another verb holds the session.
    Busy,
    /// The idempotency key was already used for another message.
    KeyReused,
    /// The caller is not allowed to do this.
    Forbidden,
    /// The route or method does not exist.
    NoRoute,
    /// Too many requests.
    TooMany,
    /// Internal error of the-loop.
    Internal,
}

impl ProblemCode {
    /// Returns the published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidName => "invalid-name",
            Self::InvalidRequest => "invalid-request",
            Self::InvalidBody => "invalid-body",
            Self::NameTaken => "name-taken",
            Self::Declared => "declared",
            Self::UnknownSession => "unknown-session",
            Self::UnknownMessage => "unknown-message",
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

    /// Returns the HTTP status.
    pub const fn http_status(self) -> u16 {
        match self {
            Self::InvalidName | Self::InvalidRequest | Self::NameTaken | Self::Declared | Self::Misconfigured => 400,
            Self::Forbidden => 403,
            Self::UnknownSession | Self::UnknownMessage | Self::NotRunning | Self::NoRoute => 404,
            Self::Waiting | Self::NotWaiting | Self::UnsentText | Self::KeyReused => 409,
            Self::TooLarge => 413,
            Self::InvalidBody => 422,
            Self::TooMany => 429,
            Self::Registry | Self::Internal => 500,
            Self::TmuxSilent | Self::Busy => 503,
        }
    }

    /// Returns the exit status of the command line: 2 for a mistake of the caller or an invalid config, else 1.
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

    /// Returns the title for people, the same for every occurrence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::InvalidName => "Invalid session name",
            Self::InvalidRequest => "Invalid request",
            Self::InvalidBody => "Invalid body or query",
            Self::NameTaken => "Name already in use",
            Self::Declared => "Session declared in the config",
            Self::UnknownSession => "Session not found",
            Self::UnknownMessage => "Message not found",
            Self::NotRunning => "Session not running",
            Self::Waiting => "Session waiting for an answer",
            Self::NotWaiting => "Session not waiting for this answer",
            Self::UnsentText => "Unsent text in the input box",
            Self::TooLarge => "Message too large",
            Self::Misconfigured => "Invalid config",
            Self::Registry => "Record or state directory unusable",
            Self::TmuxSilent => "tmux did not answer",
            Self::Busy => "Session busy",
            Self::KeyReused => "Idempotency key already used",
            Self::Forbidden => "Forbidden",
            Self::NoRoute => "Route not found",
            Self::TooMany => "Too many requests",
            Self::Internal => "Internal error",
        }
    }
}

/// Error document (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Problem {
    /// Stable identifier `urn:the-loop:problem:<code>`.
    #[serde(rename = "type")]
    #[cfg_attr(
        feature = "schema",
        schema(pattern = "^urn:the-loop:problem:[a-z-]+$", example = "urn:the-loop:problem:unknown-session")
    )]
    pub kind: String,
    /// Title of the code, the same for every occurrence.
    pub title: String,
    /// HTTP status.
    #[cfg_attr(feature = "schema", schema(minimum = 400, maximum = 599, example = 404))]
    pub status: u16,
    /// Message of this occurrence, followed by its remedies as text.
    pub detail: String,
    /// Actions that help, most likely first; left out if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
    /// Stable code.
    pub code: ProblemCode,
    /// Id of the request, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub instance: Option<String>,
}

impl Problem {
    /// Returns a problem with the status of its code.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:the-loop:problem:{}", code.as_str()),
            title: code.title().to_owned(),
            status: code.http_status(),
            detail: detail.into(),
            remedies: Vec::new(),
            code,
            instance: None,
        }
    }

    /// Adds remedies, and their text to the detail.
    #[must_use]
    pub fn with_remedies(mut self, remedies: Vec<Remedy>) -> Self {
        let tail = tail(&self.detail, &remedies);
        self.detail.push_str(&tail);
        self.remedies = remedies;
        self
    }

    /// Returns the message alone: the detail without the text of the remedies.
    pub fn message(&self) -> &str {
        let tail = |separator: &str| format!("{separator}{}", Remedy::phrase(&self.remedies));
        let without = |separator: &str| self.detail.strip_suffix(&tail(separator));
        if self.remedies.is_empty() {
            return &self.detail;
        }
        [APART, INLINE].into_iter().find_map(without).unwrap_or(&self.detail)
    }

    /// Changes the HTTP status (to 405, 415 and the like).
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

/// Separator between a message of one line and the remedies.
const INLINE: &str = ": ";
/// Separator between a message that ends with quoted lines and the remedies.
const APART: &str = "\nTo continue: ";

/// Returns the remedies as text to append to a message.
fn tail(message: &str, remedies: &[Remedy]) -> String {
    match (remedies.is_empty(), message.contains('\n')) {
        (true, _) => String::new(),
        (false, true) => format!("{APART}{}", Remedy::phrase(remedies)),
        (false, false) => format!("{INLINE}{}", Remedy::phrase(remedies)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_names_the_remedies_and_the_message_does_not() {
        for message in ["one line", "two\nlines"] {
            let problem = Problem::new(ProblemCode::TmuxSilent, message).with_remedies(vec![Remedy::Doctor]);
            assert!(problem.detail.contains("`the-loop doctor`"), "{}", problem.detail);
            assert_eq!(problem.message(), message);
        }
        assert_eq!(Problem::new(ProblemCode::Internal, "alone").message(), "alone");
    }
}
