//! What a caller asks for. Unknown fields are refused: a typo must not be read as a default.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// Where the value of a secret comes from. It is read when the session starts, in its pane, and is not written anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SecretSource {
    /// What this command prints: the program, then one argument each.
    Command(Vec<String>),
    /// What this file holds. It must be a regular file that no other user can read or write.
    File(String),
}

/// Written out, since the derived one lets other keys stand beside the one that counts.
#[cfg(feature = "schema")]
impl utoipa::PartialSchema for SecretSource {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

        let text = || ObjectBuilder::new().schema_type(Type::String);
        let only = |key: &str, value: Schema, description: &str| {
            ObjectBuilder::new()
                .schema_type(Type::Object)
                .property(key, value)
                .required(key)
                .additional_properties(Some(AdditionalProperties::FreeForm(false)))
                .description(Some(description))
        };
        let command = Schema::Array(ArrayBuilder::new().items(text()).build());
        let file = Schema::Object(text().build());
        OneOfBuilder::new()
            .item(only("command", command, "What this command prints: the program, then one argument each."))
            .item(only("file", file, "A regular file that no other user can read or write."))
            .description(Some(
                "Where the value of a secret comes from. It is read in the pane when the session starts.",
            ))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for SecretSource {}

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
    /// Variables of the session's environment, `null` for one that is not to be set. A leading `~/` is the home directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Option<String>>,
    /// Variables of the session's environment whose values are secret, and where each value comes from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, SecretSource>,
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
            env: BTreeMap::new(),
            secrets: BTreeMap::new(),
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

/// What to do with a session.
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

/// Asks for a verb on one session. An empty name is refused: to start or stop every session is a call of its own
/// ([`StandingApi::start_all`](crate::StandingApi::start_all), [`StandingApi::stop_all`](crate::StandingApi::stop_all)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlRequest {
    /// The name: lower-case letters, digits and `-`, beginning with a letter or digit, at most 40.
    pub name: String,
    /// What to do.
    pub verb: ControlVerb,
}

impl ControlRequest {
    /// Why the request names no session, if it does not: an empty name never means every session.
    pub fn unnamed(&self) -> Option<String> {
        let remedy = match self.verb {
            ControlVerb::Restart => "restart takes one session and needs its name",
            ControlVerb::Start | ControlVerb::Stop => {
                "name one session, or ask for every session with `--all` (command line) or `\"all\": true` (REST)"
            }
        };
        self.name.trim().is_empty().then(|| format!("`name` is empty: {remedy}"))
    }
}

/// The body of the route `control`: one session by its name, or every session by `all`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = ControlRequest))]
#[serde(deny_unknown_fields)]
pub struct ControlBody {
    /// The name of one session. Published form, for existing clients: empty or left out, and without `all`, it means
    /// every session for `start` and `stop`. New clients send `all`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(pattern = "^([a-z0-9][a-z0-9-]{0,39})?$", example = "ops"))]
    pub name: String,
    /// What to do: `start`, `stop` or `restart`. Every session can be started or stopped, not restarted.
    #[cfg_attr(feature = "schema", schema(value_type = ControlVerb))]
    pub verb: String,
    /// `true`: every session, and `name` is left out. `false`: the session of that name, which must not be empty.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub all: Option<bool>,
}

/// A value that is there has to be one: `null` may be what is left of a value that was lost.
fn not_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    bool::deserialize(deserializer).map(Some)
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
