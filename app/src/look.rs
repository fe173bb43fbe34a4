//! Look of a session: the word for its state, its mark and its place in the list.

use wire::{Activity, Block, Need, Row, State};

use crate::when::seconds;

/// Group of a session in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Someone has to do something.
    Needs,
    /// The harness is running and needs no action.
    Running,
    /// The harness is not running, as intended.
    Stopped,
}

impl Group {
    /// All groups, in the order of the page.
    pub(crate) const ALL: [Self; 3] = [Self::Needs, Self::Running, Self::Stopped];

    /// Returns the name in IDs and in the style sheet.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Needs => "needs",
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Needs => "Needs you",
            Self::Running => "Running",
            Self::Stopped => "Stopped",
        }
    }
}

/// Order inside a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The longest in its state first.
    Oldest,
    /// The shortest in its state first.
    Newest,
    /// By name, so that rows keep their places.
    Name,
}

/// Appearance of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// Label of its state.
    pub(crate) word: &'static str,
    /// Name of its mark in the sprite and of its colour in the style sheet.
    pub(crate) mark: &'static str,
    pub(crate) group: Group,
    /// Position of its state in the list.
    class: u8,
    order: Order,
}

impl Appearance {
    pub(crate) fn of(row: &Row) -> Self {
        use Order::{Name, Newest, Oldest};
        let blocked = row.blocked.as_ref().map(|blocked| blocked.kind);
        let need = Need::of(row).filter(|need| need.calls());
        let (mark, class, order) = match (row.state, row.activity, blocked) {
            (State::Running, Activity::Waiting, _) => ("waiting", 0, Oldest),
            (State::Running, _, Some(Block::LoggedOut)) => ("key", 0, Oldest),
            (State::Running, _, Some(Block::NoCredit | Block::ContextFull | Block::Refused)) => ("alert", 0, Oldest),
            (State::Running, _, Some(Block::Limited | Block::Overloaded | Block::Stalled)) => ("limited", 0, Oldest),
            (State::Ended, ..) => ("exited", 0, Newest),
            (State::Orphaned | State::Unrecorded, ..) => ("torn", 0, Name),
            (State::Unreadable, ..) => ("torn", 1, Name),
            (State::Foreign, ..) => ("foreign", 2, Name),
            (State::Unknown, ..) => ("unknown", 0, Name),
            (State::Starting | State::Stopping, ..) => ("working", 0, Name),
            (State::Running, Activity::Busy, None) => ("working", 1, Name),
            (State::Running, Activity::Unknown, None) => ("idle", 2, Name),
            (State::Running, Activity::Idle, None) => ("idle", 3, Newest),
            (State::Stopped, ..) => ("stopped", 0, Newest),
            (State::Absent, ..) => ("stopped", 1, Name),
        };
        // What needs someone is in the order of the needs.
        let class = class + need.map_or(0, |need| 10 * need as u8);
        let group = match row.state {
            _ if need.is_some() => Group::Needs,
            State::Stopped | State::Absent => Group::Stopped,
            _ => Group::Running,
        };
        Self { word: row.label(), mark, group, class, order }
    }

    /// Returns the position of its state in the list.
    pub(crate) fn position(&self) -> (Group, u8) {
        (self.group, self.class)
    }

    /// Returns a text by which rows of one group are sorted.
    pub(crate) fn rank(&self, row: &Row) -> String {
        let since = seconds(&row.since).unwrap_or(0);
        let key = match self.order {
            Order::Oldest => since,
            Order::Newest => u64::from(u32::MAX).saturating_sub(since),
            Order::Name => 0,
        };
        format!("{:03}{key:010}{}", self.class, row.name)
    }

    /// Returns the reason why a message cannot be sent now, if there is one.
    pub(crate) fn deaf(row: &Row) -> Option<&'static str> {
        match row.state {
            State::Running if row.activity == Activity::Waiting => Some("Waiting for an answer to its prompt"),
            State::Running => None,
            State::Starting => Some("Starting"),
            State::Stopping => Some("Stopping"),
            State::Orphaned => Some("Running without a pane: stop it, then start it"),
            State::Unknown => Some("tmux did not answer"),
            State::Foreign => Some("Not managed by the-loop"),
            State::Unrecorded => Some("Its record is missing: restore it first"),
            State::Unreadable => Some("Its record is unreadable"),
            State::Ended | State::Stopped | State::Absent => Some("Not running: start it first"),
        }
    }
}

/// True if the session waits on a prompt that can be shown.
pub(crate) fn has_prompt(row: &Row) -> bool {
    row.state == State::Running && row.activity == Activity::Waiting && !row.question.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(state: State, activity: Activity) -> Row {
        Row { state, activity, ..Row::titled("x") }
    }

    #[test]
    fn who_waits_comes_first_and_silence_is_not_absence() {
        let group = |state, activity| Appearance::of(&row(state, activity)).group;
        assert_eq!(group(State::Running, Activity::Waiting), Group::Needs);
        assert_eq!(group(State::Unknown, Activity::Unknown), Group::Needs);
        assert_eq!(group(State::Stopped, Activity::Unknown), Group::Stopped);
        assert!(Group::ALL.is_sorted());
    }

    #[test]
    fn a_blocked_session_needs_someone_and_is_neither_working_nor_idle() {
        let mut ranks = Vec::new();
        for &kind in Block::ALL {
            let mut row = row(State::Running, Activity::Busy);
            row.set_blocked(Some(wire::Blocked {
                kind,
                since: "2026-11-29T08:00:00Z".to_owned(),
                until: None,
                evidence: "its transcript says: x".to_owned(),
            }));
            let look = Appearance::of(&row);
            assert_eq!((look.group, look.word), (Group::Needs, kind.label()));
            assert!(!["working", "idle"].contains(&look.mark), "{kind:?}");
            assert_eq!(Appearance::deaf(&row), None, "a message is still possible");
            ranks.push((look.rank(&row), kind));
        }
        ranks.sort();
        let order: Vec<Block> = ranks.into_iter().map(|(_, kind)| kind).take(3).collect();
        assert_eq!(order, [Block::LoggedOut, Block::NoCredit, Block::Limited]);
    }

    #[test]
    fn the_longest_wait_and_the_newest_exit_come_first() {
        let rank = |state, activity, since: &str| {
            let row = Row { since: since.to_owned(), ..row(state, activity) };
            Appearance::of(&row).rank(&row)
        };
        let (early, late) = ("2026-11-29T08:00:00Z", "2026-11-30T08:00:00Z");
        assert!(
            rank(State::Running, Activity::Waiting, early) < rank(State::Running, Activity::Waiting, late),
            "waiting"
        );
        assert!(rank(State::Ended, Activity::Unknown, late) < rank(State::Ended, Activity::Unknown, early), "exited");
        assert!(rank(State::Running, Activity::Waiting, late) < rank(State::Ended, Activity::Unknown, late));
        assert!(rank(State::Running, Activity::Busy, late) < rank(State::Running, Activity::Idle, late));
    }

    #[test]
    fn only_a_running_session_without_a_question_is_spoken_to() {
        assert_eq!(Appearance::deaf(&row(State::Running, Activity::Busy)), None);
        assert_eq!(Appearance::deaf(&row(State::Running, Activity::Unknown)), None);
        for state in [
            State::Absent,
            State::Stopped,
            State::Ended,
            State::Unknown,
            State::Foreign,
            State::Orphaned,
            State::Unrecorded,
        ] {
            assert!(Appearance::deaf(&row(state, Activity::Idle)).is_some(), "{state:?}");
        }
        assert!(Appearance::deaf(&row(State::Running, Activity::Waiting)).is_some());
    }
}
