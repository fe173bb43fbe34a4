//! Filter and place of a page of a timeline.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use wire::SessionName;

use super::{Entry, EntryKind};

/// Default number of entries of a page.
const PAGE: usize = 50;

/// Maximum number of entries of a page.
const MAX_PAGE: usize = 500;

/// Filter and place of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineQuery {
    /// Only entries of this session; `None`: all.
    pub session: Option<SessionName>,
    /// Kinds of entries.
    pub kinds: Kinds,
    /// Only entries from this surface, as in `source` of an event; empty: all.
    pub surface: String,
    /// Earliest time.
    pub since: Option<Timestamp>,
    /// Latest time.
    pub until: Option<Timestamp>,
    /// Place of the page, from [`Timeline::older`](super::Timeline::older); `None`: the newest entries.
    pub before: Option<Cursor>,
    /// Maximum number of entries; at least 1 and at most 500.
    pub limit: usize,
}

impl Default for TimelineQuery {
    fn default() -> Self {
        let (session, surface, kinds) = (None, String::new(), Kinds::default());
        Self { session, kinds, surface, since: None, until: None, before: None, limit: PAGE }
    }
}

impl TimelineQuery {
    /// Returns the query for a session.
    pub fn of(session: SessionName) -> Self {
        Self { session: Some(session), ..Self::default() }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.clamp(1, MAX_PAGE)
    }

    /// True if an entry matches. The time is checked as well.
    pub(super) fn takes(&self, entry: &Entry) -> bool {
        self.session.as_ref().is_none_or(|name| entry.session == name.as_str())
            && self.kinds.take(entry)
            && (self.surface.is_empty() || self.surface == entry.surface)
            && self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at <= until)
    }
}

/// Filter by the kind of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// Everything except details for an investigation.
    #[default]
    All,
    /// Messages and answers.
    Messages,
    /// Changes of sessions: created, started, stopped, deleted.
    Lifecycle,
    /// Warnings, errors and refusals.
    Failures,
    /// Slack.
    Slack,
    /// Service.
    Service,
}

impl Kinds {
    /// All filters, in the order in which they are offered.
    pub const ALL: [Self; 6] = [Self::All, Self::Messages, Self::Lifecycle, Self::Failures, Self::Slack, Self::Service];

    /// Returns the word in an address; empty for all.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Messages => "messages",
            Self::Lifecycle => "lifecycle",
            Self::Failures => "failures",
            Self::Slack => "slack",
            Self::Service => "service",
        }
    }

    /// Returns the filter of a word; all for an unknown one.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|kinds| kinds.as_str() == word).unwrap_or_default()
    }

    fn take(self, entry: &Entry) -> bool {
        match self {
            Self::All => entry.kind != EntryKind::Detail,
            Self::Messages => matches!(entry.kind, EntryKind::Message | EntryKind::Answer),
            Self::Lifecycle => entry.kind == EntryKind::Lifecycle,
            Self::Failures => entry.failed,
            Self::Slack => entry.kind == EntryKind::Slack,
            Self::Service => entry.kind == EntryKind::Service,
        }
    }
}

/// Place in a timeline, between two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Position in the event log before which the page is read.
    pub(super) position: u64,
    /// Time of the last entry before the place, which kept messages without a line in the log are compared with.
    pub(super) at: Timestamp,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.position, self.at.as_millisecond())
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (position, at) = text.split_once('.').ok_or(InvalidCursor)?;
        let at = at.parse().ok().and_then(|at| Timestamp::from_millisecond(at).ok()).ok_or(InvalidCursor)?;
        Ok(Self { position: position.parse().map_err(|_| InvalidCursor)?, at })
    }
}

/// Error of a text that is not a place in a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a place in a timeline")]
pub struct InvalidCursor;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_and_a_filter_read_back_as_they_were_written() {
        let at = "2026-05-08T12:00:00.123Z".parse().expect("a time");
        let cursor = Cursor { position: 7, at };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for wrong in ["", "7", "7.", ".1", "-1.1", "1.99999999999999999999", "1.9223372036854775807", "a.b"] {
            assert_eq!(wrong.parse::<Cursor>(), Err(InvalidCursor), "{wrong}");
        }
        for kinds in Kinds::ALL {
            assert_eq!(Kinds::parse(kinds.as_str()), kinds);
        }
        assert_eq!(Kinds::parse("nothing-like-it"), Kinds::All);
    }
}
