//! Timeline: the event log and the kept messages in one list, newest first.
//!
//! The log is read from its end backwards, a bounded part of it for each page. Texts come from the kept messages, see
//! `standingSessions.keepMessages`. A kept message without a line in the log is in the list as well, for example if the
//! log is disabled or the line was rotated away.

mod entry;
mod news;
mod pages;
mod query;
mod texts;

pub use entry::{Entry, EntryKind, TurnEnd};
pub use news::News;
pub use query::{Cursor, Kinds, TimelineQuery};

use std::io;

use wire::SessionName;

use crate::{Error, TheLoop, blocking, error::storage, messages::Messages, registry::Registry};

/// Page of a timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Entries, newest first.
    pub entries: Vec<Entry>,
    /// Place of the next page; `None` if there is no earlier entry.
    pub older: Option<Cursor>,
    /// Position in the event log before which this page was read: news begin there.
    pub position: u64,
}

impl TheLoop {
    /// Returns a page of the timeline of a session, or of all sessions. If only few entries match, a page may have fewer
    /// than its limit, even none, and an earlier page nevertheless.
    pub fn timeline(&self, query: &TimelineQuery) -> Result<Timeline, Error> {
        blocking::about_to("the event log is read");
        let config = self.config();
        let log = self.event_log();
        let unreadable = |error: io::Error| storage(log.path(), "could not read the event log")(error);
        // Order matters: a line that is added while the page is read is news.
        let position = log.end().map_err(unreadable)?;
        let page = pages::read(&log, &Messages::new(&config.settings), query, position, pages::SEARCHED);
        let (entries, older) = page.map_err(unreadable)?;
        Ok(Timeline { entries, older, position })
    }

    /// Returns the names of all declared and recorded sessions, sorted. Reads no record and does not ask tmux.
    pub fn timeline_sessions(&self) -> Vec<SessionName> {
        let settings = &self.config().settings;
        // Names that could not be listed are missing in a list of suggestions only.
        let mut names = Registry::new(&settings.state_root).names().unwrap_or_default();
        names.extend(settings.sessions.iter().map(|session| session.name.clone()));
        names.into_iter().collect()
    }

    /// Returns the matching entries after a position in the event log. `query.before` and `query.limit` are ignored.
    pub fn timeline_news(&self, query: &TimelineQuery, position: u64) -> Result<News, Error> {
        blocking::about_to("the event log is read");
        let config = self.config();
        let log = self.event_log();
        let read = news::read(&log, &Messages::new(&config.settings), query, position);
        read.map_err(storage(log.path(), "could not read the event log"))
    }
}
