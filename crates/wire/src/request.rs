//! What a caller asks for. Unknown fields are refused: a typo must not be read as a default.

use serde::{Deserialize, Serialize};

/// Asks for a new session, written to the registry and, unless told otherwise, started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateRequest {
    /// The name, not yet checked.
    pub name: String,
    /// The harness; empty inherits `routing.defaultHarness`.
    #[serde(default)]
    pub harness: String,
    /// Arguments of the harness. `None` inherits `routing.harnessArgs.<harness>`, an empty list means none.
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
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// The name, not yet checked.
    pub name: String,
}

/// What to do with a session, or with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlVerb {
    /// Start, resuming its conversation if it has one.
    Start,
    /// Stop, keeping the record and the conversation.
    Stop,
    /// Stop, then start.
    Restart,
}

/// Asks for a verb on one session, or on all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlRequest {
    /// The name; empty means all (not for restart).
    #[serde(default)]
    pub name: String,
    /// What to do.
    pub verb: ControlVerb,
}

/// Asks for text to be pasted into a running session and submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SayRequest {
    /// The name, not yet checked.
    pub name: String,
    /// The message.
    pub text: String,
    /// Who says it; empty if not told.
    #[serde(default)]
    pub actor: String,
    /// Deliver even if the session waits on a dialog.
    #[serde(default)]
    pub force: bool,
    /// The same key with the same text is delivered once; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub idempotency_key: String,
}
