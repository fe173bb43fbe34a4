//! What a caller asks for. Unknown fields are refused: a typo must not be read as a default.

use serde::{Deserialize, Serialize};

/// Asks for a new session, written to the registry and, unless told otherwise, started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateRequest {
    /// The name: lower-case letters, digits and `-`, beginning with a letter or digit, at most 40.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
    /// The harness; empty inherits `routing.defaultHarness`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(example = "demo"))]
    pub harness: String,
    /// Arguments of the harness. Left out or `null` inherits `routing.harnessArgs.<harness>`, an empty list means none.
    #[serde(default)]
    pub harness_args: Option<Vec<String>>,
    /// The working directory; empty inherits `routing.spawnWorkdir`.
    #[serde(default)]
    pub cwd: String,
    /// The operator's brief, appended to the boot directive.
    #[serde(default)]
    pub prompt: String,
    /// Free text for people.
    #[serde(default)]
    pub description: String,
    /// Whether `the-loop start` restores it.
    #[serde(default = "yes")]
    pub auto_start: bool,
    /// Whether it is announced in Slack.
    #[serde(default)]
    pub slack_enabled: bool,
    /// Its Slack channel; empty means `channels.slack.channel`.
    #[serde(default)]
    pub slack_channel: String,
    /// False writes the record alone.
    #[serde(default = "yes")]
    pub start: bool,
}

const fn yes() -> bool {
    true
}

impl CreateRequest {
    /// A request with every default.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            harness: String::new(),
            harness_args: None,
            cwd: String::new(),
            prompt: String::new(),
            description: String::new(),
            auto_start: true,
            slack_enabled: false,
            slack_channel: String::new(),
            start: true,
        }
    }
}

/// Asks for a created session to be stopped and its record removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// The name: lower-case letters, digits and `-`, beginning with a letter or digit, at most 40.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
}

/// What to do with a session, or with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ControlVerb {
    /// Start, resuming its conversation if it has one.
    Start,
    /// Stop, keeping the record and the conversation.
    Stop,
    /// Stop, then start.
    Restart,
}

impl ControlVerb {
    /// The published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Restart => "restart",
        }
    }
}

/// Asks for a verb on one session, or on all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ControlRequest {
    /// The name; empty means all (not for restart).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(pattern = "^([a-z0-9][a-z0-9-]{0,39})?$", example = "ops"))]
    pub name: String,
    /// What to do.
    pub verb: ControlVerb,
}

/// Asks for text to be pasted into a running session and submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SayRequest {
    /// The name: lower-case letters, digits and `-`, beginning with a letter or digit, at most 40.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
    /// The message.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 1_048_576, example = "what is in flight?"))]
    pub text: String,
    /// Who says it; empty if not told; at most 200 characters.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub actor: String,
    /// Deliver even if the session waits on a dialog. Text that stands unsent in its input box is sent first.
    #[serde(default)]
    pub force: bool,
    /// The same key with the same text is delivered once; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub idempotency_key: String,
}

/// Asks for one of the answers to be chosen that a session offers to its own question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRequest {
    /// The name: lower-case letters, digits and `-`, beginning with a letter or digit, at most 40.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
    /// The digit of the answer, or its whole text.
    #[cfg_attr(feature = "schema", schema(min_length = 1, example = "1"))]
    pub choice: String,
    /// The question that is answered, as a row has it: another one is not answered. Empty for whatever it asks now.
    #[serde(default)]
    pub question: String,
    /// Who answers; empty if not told; at most 200 characters.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub actor: String,
    /// The same key with the same answer is chosen once; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub idempotency_key: String,
}
