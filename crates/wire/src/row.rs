//! One session as every listing shows it.

use serde::{Deserialize, Serialize};

use crate::{Outcome, SessionName, Verdict};

/// The coarse status that older readers know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its harness is alive in its pane (or was, when tmux last answered: see [`State::Unknown`]).
    Running,
    /// There is a record, and no live harness.
    Stopped,
    /// Declared and never started, or deleted.
    #[default]
    Absent,
}

/// What is true of a session right now, as far as it can be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No record and no tmux session.
    #[default]
    Absent,
    /// A record, no tmux session, no process: the next start resumes.
    Stopped,
    /// A start was begun and its end is not recorded yet.
    Starting,
    /// The harness is alive in its pane.
    Running,
    /// A stop or delete was begun and its end is not recorded yet.
    Stopping,
    /// The harness ended by itself; its pane is kept, with what it last showed.
    Ended,
    /// The harness is alive, but its tmux session is gone or cannot be reached.
    Orphaned,
    /// A live tmux session holds the name and is not ours.
    Foreign,
    /// A session that the-loop started is alive and its record is gone: `the-loop standing restore` brings the record
    /// back.
    Unrecorded,
    /// tmux did not answer: nothing is known, and nothing will be done.
    Unknown,
    /// The record cannot be read: nothing will be overwritten.
    Unreadable,
}

/// What a running harness is doing, read from its screen and title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// It is working.
    Busy,
    /// It waits for the next message.
    Idle,
    /// It shows a question and waits for an answer.
    Waiting,
    /// The screen says nothing that is understood, or was not looked at.
    #[default]
    Unknown,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// An answer that a session offers to its own question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Choice {
    /// The digit that chooses it.
    #[cfg_attr(feature = "schema", schema(pattern = "^[1-9]$", example = "1"))]
    pub key: String,
    /// What it says.
    #[cfg_attr(feature = "schema", schema(example = "Yes"))]
    pub text: String,
}

/// One session, as listed, shown and returned by every verb.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its name; `standingSessions` in the one row that tells of a block that cannot be used.
    pub name: String,
    /// True if the config declares it; false if it lives by its record alone.
    pub declared: bool,
    /// Free text for people; never sent to the harness.
    pub description: String,
    /// Whether `the-loop start` starts it.
    pub auto_start: bool,
    /// The harness it runs: a built-in one or a custom one.
    pub harness: String,
    /// The absolute working directory.
    pub cwd: String,
    /// The tmux session that hosts it.
    pub tmux_target: String,
    /// `standing:<name>`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The coarse status.
    pub status: Status,
    /// True only if its harness was seen alive just now.
    pub running: bool,
    /// The conversation it resumes, empty if there is none yet.
    pub harness_session_id: String,
    /// Whether it is to be announced in Slack.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub slack_enabled: bool,
    /// The Slack channel it is announced in, empty for none.
    pub slack_channel: String,
    /// The Slack thread it is bound to, empty for none.
    pub slack_thread: String,
    /// The names of the variables that its definition sets, without their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// The names of its secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// When its harness was last started, `YYYY-MM-DDTHH:MM:SSZ`, empty if never.
    #[cfg_attr(
        feature = "schema",
        schema(
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub started_at: String,
    /// When it was last spoken to, in the same form, empty if never.
    #[cfg_attr(
        feature = "schema",
        schema(
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub last_message_at: String,
    /// The exact state.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub state: State,
    /// Why the state is what it is, for a person; empty where the word says it all.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub reason: String,
    /// What the harness is doing, where that can be read.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub activity: Activity,
    /// Since when it is at what `activity` says, or since when it is stopped, as far as files tell; empty where none does.
    /// Of one that is idle or waiting: when its conversation was last written to.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schema(
            required = true,
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub since: String,
    /// The question it waits on, while its activity is `waiting`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// The answers it offers, where one can be chosen by its digit and the screen was looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// How many messages it was given that are not turns yet.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queued: usize,
    /// When the record was made, empty if there is none.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schema(
            required = true,
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub created_at: String,
    /// The process id of the harness, while it is known to live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub pid: Option<u32>,
    /// What a verb did to it; absent in listings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub outcome: Option<Outcome>,
    /// For a start with a fresh conversation: whether its harness took the brief it was started with, where that can be
    /// known; absent in listings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub brief: Option<Verdict>,
    /// What there is to say of the outcome; absent in listings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub detail: Option<String>,
}

impl Row {
    /// A row that knows only the name: what a refused or deleted session has left to show.
    pub fn bare(name: &SessionName) -> Self {
        Self {
            tmux_target: name.tmux_session(),
            reference: name.standing_ref().to_string(),
            ..Self::titled(name.as_str())
        }
    }

    /// A row that stands for the whole block, as in `standingSessions … misconfigured`.
    pub fn titled(title: &str) -> Self {
        Self {
            name: title.to_owned(),
            declared: false,
            description: String::new(),
            auto_start: false,
            harness: String::new(),
            cwd: String::new(),
            tmux_target: String::new(),
            reference: String::new(),
            status: Status::Absent,
            running: false,
            harness_session_id: String::new(),
            slack_enabled: false,
            slack_channel: String::new(),
            slack_thread: String::new(),
            env: Vec::new(),
            secrets: Vec::new(),
            started_at: String::new(),
            last_message_at: String::new(),
            state: State::Absent,
            reason: String::new(),
            activity: Activity::Unknown,
            since: String::new(),
            question: String::new(),
            choices: Vec::new(),
            queued: 0,
            created_at: String::new(),
            pid: None,
            outcome: None,
            brief: None,
            detail: None,
        }
    }
}
