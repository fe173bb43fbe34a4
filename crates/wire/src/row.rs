//! Sessions, as every list shows them.

use serde::{Deserialize, Serialize};

use crate::{Blocked, Remedy, SessionName, Verdict, remedy::without_remedies};

/// Status in three values, for existing clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The harness is alive in its pane, or was when tmux last answered (see [`State::Unknown`]).
    Running,
    /// There is a record, and no live harness.
    Stopped,
    /// Declared and never started, or deleted.
    #[default]
    Absent,
}

/// State of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No record and no tmux session.
    #[default]
    Absent,
    /// A record, but no tmux session and no process. The next start resumes.
    Stopped,
    /// A start has begun, and its end is not recorded yet.
    Starting,
    /// The harness is alive in its pane.
    Running,
    /// A stop or delete has begun, and its end is not recorded yet.
    Stopping,
    /// The harness exited on its own. Its pane is kept with its last output.
    Ended,
    /// The harness is alive, but its tmux session is gone or cannot be reached.
    Orphaned,
    /// A live tmux session has the name and is not managed by the-loop.
    Foreign,
    /// A session that the-loop started is alive, but its record is missing. `the-loop standing restore` restores the
    /// record.
    Unrecorded,
    /// tmux did not answer. Nothing is known, and nothing is done.
    Unknown,
    /// The record could not be read. Nothing is overwritten.
    Unreadable,
}

/// Activity of a running harness, read from its screen and title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// It is working.
    Busy,
    /// It waits for the next message.
    Idle,
    /// It shows a prompt and waits for an answer.
    Waiting,
    /// The screen is not recognised, or was not read.
    #[default]
    Unknown,
}

/// Result of a command on one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A new conversation was started.
    Started,
    /// The recorded conversation was resumed.
    Resumed,
    /// It was already running and was left untouched.
    AlreadyRunning,
    /// It was running and has been stopped; its conversation is kept.
    Stopped,
    /// It was not running, or was not started for the reason given.
    NotRunning,
    /// The verb failed, for the reason given.
    Failed,
    /// It was stopped and its record was removed.
    Deleted,
    /// The config is invalid.
    Misconfigured,
}

impl Outcome {
    /// False for the two outcomes that are failures.
    pub const fn is_ok(self) -> bool {
        !matches!(self, Self::Failed | Self::Misconfigured)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Answer that a prompt offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Choice {
    /// Digit that selects it.
    #[cfg_attr(feature = "schema", schema(pattern = "^[1-9]$", example = "1"))]
    pub key: String,
    /// Text of the answer.
    #[cfg_attr(feature = "schema", schema(example = "Yes"))]
    pub text: String,
}

/// Session, as listed, shown and returned by every command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Name of the session; `standingSessions` in the row that reports an invalid config.
    pub name: String,
    /// True if the session is declared in the config; false if it was created at run time.
    pub declared: bool,
    /// Description for people; not sent to the harness.
    pub description: String,
    /// True if `the-loop start` starts the session.
    pub auto_start: bool,
    /// Harness, built-in or custom.
    pub harness: String,
    /// Working directory, as an absolute path.
    pub cwd: String,
    /// Name of the tmux session.
    pub tmux_target: String,
    /// Reference `standing:<name>`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Status in three values, for existing clients; see `state`.
    pub status: Status,
    /// True only if the harness was confirmed to be running just now.
    pub running: bool,
    /// Id of the conversation that a start resumes; empty if there is none yet.
    pub harness_session_id: String,
    /// True if the session is announced in Slack.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub slack_enabled: bool,
    /// Slack channel of the announcement; may be empty.
    pub slack_channel: String,
    /// Slack thread of the session; may be empty.
    pub slack_thread: String,
    /// Names of the environment variables of its definition, without their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Names of its secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Time of the last start, `YYYY-MM-DDTHH:MM:SSZ`; empty if never.
    #[cfg_attr(
        feature = "schema",
        schema(
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub started_at: String,
    /// Time of the last message, in the same format; empty if never.
    #[cfg_attr(
        feature = "schema",
        schema(
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub last_message_at: String,
    /// State of the session.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub state: State,
    /// Reason for the state, for people; may be empty.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub reason: String,
    /// Activity of the harness.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub activity: Activity,
    /// Obstacle of a running session, with its evidence; left out without one. The activity of a blocked session is
    /// `unknown`, or `waiting` if it shows a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub blocked: Option<Blocked>,
    /// Start time of the current activity, or time of the stop or exit; empty if unknown. For an idle or waiting session, the
    /// last write to its conversation.
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
    /// Time at which this row was true, `YYYY-MM-DDTHH:MM:SSZ`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(
        feature = "schema",
        schema(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", example = "2026-11-29T08:00:00Z")
    )]
    pub as_of: String,
    /// Last line of the pane with words in it, without control characters and at most 200 characters long; left out if the
    /// screen was not read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_line: String,
    /// Processor time of its processes over the last interval, in percent of one core; left out if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub cpu: Option<u32>,
    /// Resident memory of its processes, in bytes; left out if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub memory: Option<u64>,
    /// Prompt that the session is waiting at, while its activity is `waiting`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// Numbered answers of the prompt; left out if there are none or the screen was not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Number of queued messages.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queued: usize,
    /// Time when the record was created; empty without a record.
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
    /// Process id of the harness, while it is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub pid: Option<u32>,
    /// Result of the command; left out in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub outcome: Option<Outcome>,
    /// Delivery of the initial prompt, for a start with a new conversation; left out in lists and if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub brief: Option<Verdict>,
    /// Detail of the outcome, for people; left out in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub detail: Option<String>,
    /// Actions that help, most likely first: those of `detail` in the row after a command, otherwise those of `reason`.
    /// Their text is at the end of `detail` or `reason` as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

impl Row {
    /// Adds or removes the obstacle of the session. A blocked session is neither busy nor idle, so its activity becomes
    /// `unknown`; a prompt stays, because it can be answered.
    pub fn set_blocked(&mut self, blocked: Option<Blocked>) {
        if let Some(blocked) = &blocked
            && self.activity != Activity::Waiting
        {
            self.activity = Activity::Unknown;
            self.since.clone_from(&blocked.since);
        }
        self.blocked = blocked;
    }

    /// Returns a row with only a name, for a refused or deleted session.
    pub fn bare(name: &SessionName) -> Self {
        Self {
            tmux_target: name.tmux_session(),
            reference: name.standing_ref().to_string(),
            ..Self::titled(name.as_str())
        }
    }

    /// Returns the reason for the state without the text of its remedies.
    pub fn bare_reason(&self) -> &str {
        if self.outcome.is_some() { &self.reason } else { without_remedies(&self.reason, &self.remedies) }
    }

    /// Returns the detail of the outcome without the text of its remedies.
    pub fn bare_detail(&self) -> &str {
        without_remedies(self.detail.as_deref().unwrap_or_default(), &self.remedies)
    }

    /// True if both rows say the same about the session, except for measurements and the time of the look.
    pub fn is_like(&self, other: &Self) -> bool {
        let bare = |row: &Self| Self {
            as_of: String::new(),
            last_line: String::new(),
            cpu: None,
            memory: None,
            ..row.clone()
        };
        bare(self) == bare(other)
    }

    /// Returns a row for the whole block, as in `standingSessions … misconfigured`.
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
            blocked: None,
            since: String::new(),
            as_of: String::new(),
            last_line: String::new(),
            cpu: None,
            memory: None,
            question: String::new(),
            choices: Vec::new(),
            queued: 0,
            created_at: String::new(),
            pid: None,
            outcome: None,
            brief: None,
            detail: None,
            remedies: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Block;

    fn limited() -> Blocked {
        Blocked {
            kind: Block::Limited,
            since: "2026-11-29T08:00:00Z".to_owned(),
            until: None,
            evidence: "its transcript says: limit".to_owned(),
        }
    }

    #[test]
    fn a_blocked_session_is_neither_busy_nor_idle() {
        for activity in [Activity::Busy, Activity::Idle, Activity::Unknown] {
            let mut row = Row { activity, running: true, state: State::Running, ..Row::titled("ops") };
            row.set_blocked(Some(limited()));
            assert_eq!((row.activity, row.label()), (Activity::Unknown, "usage limit"));
            assert_eq!(row.since, limited().since);
        }
        let mut asking = Row { activity: Activity::Waiting, state: State::Running, ..Row::titled("ops") };
        asking.set_blocked(Some(limited()));
        assert_eq!((asking.activity, asking.label()), (Activity::Waiting, "waiting"));
    }

    #[test]
    fn a_row_without_an_obstacle_has_no_field_for_it() {
        let mut row = Row::titled("ops");
        assert!(serde_json::to_value(&row).expect("JSON").get("blocked").is_none());
        row.set_blocked(Some(limited()));
        let value = serde_json::to_value(&row).expect("JSON");
        assert_eq!(value["blocked"]["kind"], "limited");
        assert!(value["blocked"].get("until").is_none(), "{value}");
        assert_eq!(serde_json::from_value::<Row>(value).expect("a row"), row);
    }
}
