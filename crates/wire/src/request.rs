//! Requests of callers. Unknown fields are refused, so that a typo is not read as a default.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};

use crate::whole::whole;

/// Source of a secret's value. It is read in the pane when the session starts, and is not stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SecretSource {
    /// Output of this command: the program, then its arguments.
    Command(Vec<String>),
    /// Content of this file. It must be a regular file that no other user can read or write.
    File(String),
}

/// Written by hand, since the derived schema allows other keys beside the one that is used.
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
            .item(only("command", command, "The output of this command: the program, then its arguments."))
            .item(only("file", file, "A regular file that no other user can read or write."))
            .description(Some("Source of a secret's value. It is read in the pane when the session starts."))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for SecretSource {}

/// Request to create a session and, by default, start it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateRequest {
    /// Name of the session: lower-case letters, digits and `-`, starting with a letter or digit, at most 40 characters.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
    /// Harness; empty: `routing.defaultHarness`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(example = "demo"))]
    pub harness: String,
    /// Arguments of the harness. Left out or `null`: `routing.harnessArgs.<harness>`. Empty list: no arguments.
    #[serde(default)]
    pub harness_args: Option<Vec<String>>,
    /// Working directory; empty: `routing.spawnWorkdir`.
    #[serde(default)]
    pub cwd: String,
    /// Instructions for the agent, appended to the standard ones.
    #[serde(default)]
    pub prompt: String,
    /// Description for people; not sent to the harness.
    #[serde(default)]
    pub description: String,
    /// True if `the-loop start` starts the session.
    #[serde(default = "yes")]
    pub auto_start: bool,
    /// True if the session is announced in Slack.
    #[serde(default)]
    pub slack_enabled: bool,
    /// Slack channel; empty: `channels.slack.channel`.
    #[serde(default)]
    pub slack_channel: String,
    /// Environment variables of the session; `null` unsets a variable. A leading `~/` is the home directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Option<String>>,
    /// Environment variables with secret values, and the source of each value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, SecretSource>,
    /// False: create the record without starting the session.
    #[serde(default = "yes")]
    pub start: bool,
}

const fn yes() -> bool {
    true
}

impl CreateRequest {
    /// Returns a request with all defaults.
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

/// Request to stop a created session and remove its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// Name of the session: lower-case letters, digits and `-`, starting with a letter or digit, at most 40 characters.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
}

/// Command on a session.
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
    /// Returns the published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Restart => "restart",
        }
    }
}

/// Verb on one session. An empty name is refused: starting or stopping every session are separate calls
/// ([`StandingApi::start_all`](crate::StandingApi::start_all),
/// [`StandingApi::stop_all`](crate::StandingApi::stop_all)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlRequest {
    /// Name of the session: lower-case letters, digits and `-`, starting with a letter or digit, at most 40 characters.
    pub name: String,
    /// Verb to run.
    pub verb: ControlVerb,
}

impl ControlRequest {
    /// Returns an error text if the request names no session. An empty name never means every session.
    pub fn unnamed(&self) -> Option<String> {
        let remedy = match self.verb {
            ControlVerb::Restart => "restart needs the name of one session",
            ControlVerb::Start | ControlVerb::Stop => {
                "give the name of one session, or select every session with `--all` (command line) or `\"all\": \
                 true` (REST)"
            }
        };
        self.name.trim().is_empty().then(|| format!("`name` is empty: {remedy}"))
    }
}

/// Body of `control`: one session by `name`, or every session by `all`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = ControlRequest))]
#[serde(deny_unknown_fields)]
pub struct ControlBody {
    /// Name of one session. For existing clients: without `name` and `all`, `start` and `stop` apply to every session.
    /// New clients send `all`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(pattern = "^([a-z0-9][a-z0-9-]{0,39})?$", example = "ops"))]
    pub name: String,
    /// Command: `start`, `stop` or `restart`. `restart` needs the name of one session.
    #[cfg_attr(feature = "schema", schema(value_type = ControlVerb))]
    pub verb: String,
    /// True: every session, without `name`. False: the session `name`, which must not be empty.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub all: Option<bool>,
}

/// Refuses `null` where the field is present: it may be the remainder of a lost value.
fn not_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    bool::deserialize(deserializer).map(Some)
}

/// Request to send a message to a running session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SayRequest {
    /// Name of the session: lower-case letters, digits and `-`, starting with a letter or digit, at most 40 characters.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
    /// Text of the message.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 1_048_576, example = "what is in flight?"))]
    pub text: String,
    /// Name of the sender, at most 200 characters; may be empty.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub actor: String,
    /// Send even if the session is waiting for an answer. Unsent text in its input box is sent first.
    #[serde(default)]
    pub force: bool,
    /// Idempotency key: the same text with the same key is delivered only once. Empty: none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub idempotency_key: String,
    /// Seconds to wait for the answer, at most 600. The receipt then contains the turn. 0: the receipt is returned as
    /// soon as the message is sent.
    #[serde(default, deserialize_with = "whole", skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schema(maximum = 600))]
    pub wait: u32,
}

/// Longest wait for an answer in one request, in seconds.
pub const LONGEST_WAIT: u32 = 600;

impl SayRequest {
    /// Returns the time to wait for the answer, or the reason why it is refused.
    pub fn wait_time(&self) -> Result<Duration, String> {
        wait_time(self.wait)
    }
}

/// Returns a number of seconds to wait as a duration, or the reason why it is refused.
pub fn wait_time(seconds: u32) -> Result<Duration, String> {
    if seconds > LONGEST_WAIT {
        return Err(format!("`wait` is {seconds}: use at most {LONGEST_WAIT} seconds"));
    }
    Ok(Duration::from_secs(seconds.into()))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Request to select one of the answers that a prompt of a session offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRequest {
    /// Name of the session: lower-case letters, digits and `-`, starting with a letter or digit, at most 40 characters.
    #[cfg_attr(feature = "schema", schema(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops"))]
    pub name: String,
    /// Digit or full text of the answer.
    #[cfg_attr(feature = "schema", schema(min_length = 1, example = "1"))]
    pub choice: String,
    /// Prompt that is answered, as in `question` of the row; if the session shows another one, nothing is selected.
    /// Empty: the current prompt.
    #[serde(default)]
    pub question: String,
    /// Name of the sender, at most 200 characters; may be empty.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub actor: String,
    /// Idempotency key: the same answer with the same key is selected only once. Empty: none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    pub idempotency_key: String,
}
