//! Fields of the form for a new session.

use serde::{Deserialize, Serialize};

/// Form for a new session. An unticked box is not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct CreateForm {
    /// Name, not yet checked.
    pub name: String,
    /// Working directory; empty inherits.
    pub cwd: String,
    /// Free text for people.
    pub description: String,
    /// Instructions, appended to those of every session.
    pub brief: String,
    /// Harness; empty inherits.
    pub harness: String,
    /// Source of its arguments.
    pub args_from: ArgsChoice,
    /// Arguments, one per line.
    pub args: String,
    /// Environment variables, `NAME=value`, one per line.
    pub env: String,
    /// True if `the-loop start` starts the session.
    pub auto_start: bool,
    /// True if the session is announced in Slack.
    pub slack: bool,
    /// Slack channel; empty inherits.
    pub slack_channel: String,
    /// True to write the record without starting the session.
    pub record_only: bool,
}

/// Source of a new session's arguments. Leaving them out and passing none are different.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgsChoice {
    /// Arguments from the config, unless some are typed.
    #[default]
    Inherit,
    /// No arguments.
    None,
    /// The typed arguments.
    These,
}
