//! Attention: the sessions that need a person, the reason, and their order.
//!
//! One function decides this for every surface: the page, `the-loop needs`, `status --needs`, the metrics and the
//! notifications. It reads rows and nothing else, so two surfaces that have the same rows never disagree.

use serde::{Deserialize, Serialize};

use crate::{Activity, Block, Blocked, Choice, Row, State};

/// Reason why a session needs a person, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// The session shows a prompt and waits for an answer.
    Prompt,
    /// The account is not signed in.
    LoggedOut,
    /// The harness exited on its own.
    Exited,
    /// The account has no credit left.
    NoCredit,
    /// The account reached a usage limit.
    Limited,
    /// The conversation no longer fits the model's context.
    ContextFull,
    /// The vendor refused the request.
    Refused,
    /// The harness has been working without progress for a long time.
    Stalled,
    /// The vendor's service is overloaded or fails.
    Overloaded,
    /// The session and its record, its pane or its name do not fit together.
    Broken,
    /// The state could not be determined.
    Unknown,
    /// The session has answered a message. No action is needed.
    Answer,
}

impl Need {
    /// Returns the most urgent reason why a session needs a person; `None` without one.
    pub fn of(row: &Row) -> Option<Self> {
        match (row.state, row.activity, &row.blocked) {
            (State::Running, Activity::Waiting, _) => Some(Self::Prompt),
            (State::Running, _, Some(blocked)) => Some(Self::of_block(blocked.kind)),
            (State::Ended, ..) => Some(Self::Exited),
            (State::Orphaned | State::Unrecorded | State::Unreadable | State::Foreign, ..) => Some(Self::Broken),
            (State::Unknown, ..) => Some(Self::Unknown),
            (State::Running, Activity::Idle, None) if has_answered(row) => Some(Self::Answer),
            _ => None,
        }
    }

    const fn of_block(block: Block) -> Self {
        match block {
            Block::Limited => Self::Limited,
            Block::LoggedOut => Self::LoggedOut,
            Block::NoCredit => Self::NoCredit,
            Block::Overloaded => Self::Overloaded,
            Block::Refused => Self::Refused,
            Block::ContextFull => Self::ContextFull,
            Block::Stalled => Self::Stalled,
        }
    }

    /// True for a problem of an account, which all its sessions have at the same time.
    pub const fn is_of_account(self) -> bool {
        matches!(self, Self::LoggedOut | Self::NoCredit | Self::Limited)
    }

    /// True if somebody has to act. An answer is news, and counts nowhere.
    pub const fn calls(self) -> bool {
        !matches!(self, Self::Answer)
    }
}

/// True if the conversation of an idle session was written after its last message. A session that was started since has
/// not answered.
fn has_answered(row: &Row) -> bool {
    !row.last_message_at.is_empty() && row.since >= row.last_message_at && row.since > row.started_at
}

/// One thing that needs a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attention {
    /// Kind of reason.
    pub kind: Need,
    /// Names of the sessions: several if they share the account that has the problem.
    pub sessions: Vec<String>,
    /// Start, `YYYY-MM-DDTHH:MM:SSZ`; empty if unknown.
    #[cfg_attr(
        feature = "schema",
        schema(
            pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
            example = "2026-11-29T08:00:00Z"
        )
    )]
    pub since: String,
    /// Time at which it ends without help, in the same format; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(
            nullable = false,
            pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
            example = "2026-11-29T13:00:00Z"
        )
    )]
    pub until: Option<String>,
    /// Prompt, evidence or reason, for people; may be empty.
    pub reason: String,
    /// Answers that the prompt offers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

impl Attention {
    fn of(row: &Row, kind: Need) -> Self {
        let mut entry = Self {
            kind,
            sessions: vec![row.name.clone()],
            since: row.since.clone(),
            until: None,
            reason: row.reason.clone(),
            choices: Vec::new(),
        };
        match (kind, &row.blocked) {
            (Need::Prompt, _) => (entry.reason, entry.choices) = (row.question.clone(), row.choices.clone()),
            (Need::Answer, _) => entry.reason.clone_from(&row.last_line),
            (_, Some(Blocked { since, until, evidence, .. })) => {
                (entry.since, entry.until, entry.reason) = (since.clone(), until.clone(), evidence.clone());
            }
            (_, None) => {}
        }
        entry
    }
}

/// Lists everything that needs a person, most urgent first and then the longest-lasting first.
///
/// Sessions of one harness whose accounts have the same problem, and the same end of it, are one entry: a login, a limit
/// or a credit is shared by the sessions of an account.
pub fn attention(rows: &[Row]) -> Vec<Attention> {
    let mut list: Vec<(&str, Attention)> = rows
        .iter()
        .filter_map(|row| Need::of(row).map(|kind| (row.harness.as_str(), Attention::of(row, kind))))
        .collect();
    // An unknown start sorts last: it may be recent.
    list.sort_by(|(_, one), (_, other)| {
        let key = |entry: &Attention| (entry.kind, entry.since.is_empty());
        key(one).cmp(&key(other)).then_with(|| (&one.since, &one.sessions).cmp(&(&other.since, &other.sessions)))
    });
    let mut entries: Vec<(&str, Attention)> = Vec::new();
    for (harness, entry) in list {
        let shares = |(of, other): &&mut (&str, Attention)| {
            *of == harness && other.kind == entry.kind && other.until == entry.until && entry.kind.is_of_account()
        };
        match entries.iter_mut().find(shares) {
            Some((_, shared)) => shared.sessions.extend(entry.sessions),
            None => entries.push((harness, entry)),
        }
    }
    entries.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, state: State, activity: Activity, since: &str) -> Row {
        Row { state, activity, since: since.to_owned(), ..Row::titled(name) }
    }

    #[test]
    fn the_most_urgent_comes_first_and_then_the_longest() {
        let rows = [
            row("lost", State::Unreadable, Activity::Unknown, ""),
            row("over", State::Ended, Activity::Unknown, "2026-11-29T07:00:00Z"),
            row("asks", State::Running, Activity::Waiting, "2026-11-29T09:00:00Z"),
            row("asked-first", State::Running, Activity::Waiting, "2026-11-29T08:00:00Z"),
            row("asks-since-when", State::Running, Activity::Waiting, ""),
            row("works", State::Running, Activity::Busy, "2026-11-29T06:00:00Z"),
            row("rests", State::Stopped, Activity::Unknown, "2026-11-29T06:00:00Z"),
            row("unseen", State::Unknown, Activity::Unknown, ""),
        ];
        let names: Vec<String> = attention(&rows).into_iter().map(|entry| entry.sessions.join(" ")).collect();
        assert_eq!(names, ["asked-first", "asks", "asks-since-when", "over", "lost", "unseen"]);
    }

    #[test]
    fn an_answer_is_news_and_a_start_is_no_answer() {
        let idle = |said: &str, since: &str| Row {
            last_message_at: said.to_owned(),
            started_at: "2026-11-29T08:00:00Z".to_owned(),
            ..row("ops", State::Running, Activity::Idle, since)
        };
        assert_eq!(Need::of(&idle("2026-11-29T08:05:00Z", "2026-11-29T08:06:00Z")), Some(Need::Answer));
        assert!(!Need::Answer.calls());
        assert_eq!(Need::of(&idle("", "2026-11-29T08:06:00Z")), None, "no message was sent");
        assert_eq!(Need::of(&idle("2026-11-29T08:05:00Z", "2026-11-29T08:04:00Z")), None, "it has not answered yet");
        assert_eq!(Need::of(&idle("2026-11-29T07:00:00Z", "2026-11-29T08:00:00Z")), None, "it was started since");
    }

    fn blocked(name: &str, harness: &str, kind: Block, until: Option<&str>) -> Row {
        let mut row = Row { harness: harness.to_owned(), ..row(name, State::Running, Activity::Idle, "") };
        let evidence = "its transcript says so".to_owned();
        let since = "2026-11-29T08:00:00Z".to_owned();
        row.set_blocked(Some(Blocked { kind, since, until: until.map(str::to_owned), evidence }));
        row
    }

    #[test]
    fn sessions_of_an_account_share_its_limit() {
        let noon = Some("2026-11-29T12:00:00Z");
        let rows = [
            blocked("a", "claude", Block::Limited, noon),
            blocked("b", "claude", Block::Limited, noon),
            blocked("c", "claude", Block::Limited, Some("2026-11-29T13:00:00Z")),
            blocked("d", "codex", Block::Limited, noon),
            blocked("e", "claude", Block::Stalled, None),
            blocked("f", "claude", Block::Stalled, None),
            blocked("g", "claude", Block::LoggedOut, None),
        ];
        let list = attention(&rows);
        let names: Vec<String> = list.iter().map(|entry| entry.sessions.join(" ")).collect();
        assert_eq!(names, ["g", "a b", "c", "d", "e", "f"]);
        assert_eq!((list[1].until.as_deref(), list[1].reason.as_str()), (noon, "its transcript says so"));
        let mut asking = blocked("h", "claude", Block::Limited, noon);
        asking.activity = Activity::Waiting;
        assert_eq!(Need::of(&asking), Some(Need::Prompt), "a prompt can be answered");
    }

    #[test]
    fn the_words_of_a_block_are_those_of_its_need() {
        for &block in Block::ALL {
            let need = Need::of_block(block);
            assert_eq!((block.as_str(), block.label()), (need.as_str(), need.label()));
            assert!(need.calls());
        }
    }
}
