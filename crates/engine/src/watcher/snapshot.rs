//! Snapshots of the sessions.

use std::{
    fs, iter,
    os::unix::fs::MetadataExt as _,
    path::Path,
    sync::{Arc, OnceLock},
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use standing::{Blind, Look, Places, Server};
use wire::{Problem, Row};

/// Result of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sessions {
    /// Every session, sorted by name.
    Listed(Vec<Row>),
    /// The sessions could not be listed.
    Refused(Problem),
}

/// Snapshot of the sessions, taken by one look.
#[derive(Debug)]
pub struct Snapshot {
    /// Increases when a session changes in more than measurements. 0 before the first look. It begins with the time of
    /// the look, so a reader that comes back after a restart of the service does not find its version again.
    pub version: u64,
    /// Time of the look, in the format of a row's times.
    pub as_of: String,
    /// The sessions.
    pub sessions: Sessions,
    /// Set while tmux does not answer: start time and reason.
    pub blind: Option<Blind>,
    /// For each row, the version in which it last changed.
    changed: Vec<u64>,
    /// The screen of each row.
    screens: Vec<Arc<str>>,
    /// Rows of the last look before tmux became silent, while it is silent.
    known: Option<Arc<[Row]>>,
    taken: Option<Taken>,
    json: OnceLock<Option<Bytes>>,
}

/// Circumstances of a look.
#[derive(Debug)]
pub(super) struct Taken {
    /// Value of `wanted` at the start of the look.
    pub(super) covers: u64,
    pub(super) places: Places,
    pub(super) stamp: Stamp,
    pub(super) server: Option<Server>,
}

/// State of the records and the config before a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    records: Option<Seen>,
    config: Option<Seen>,
}

/// Identity and times of a file, from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            version: 0,
            as_of: String::new(),
            sessions: Sessions::Listed(Vec::new()),
            blind: None,
            changed: Vec::new(),
            screens: Vec::new(),
            known: None,
            taken: None,
            json: OnceLock::new(),
        }
    }
}

impl Snapshot {
    /// Returns the rows; empty if the sessions could not be listed.
    pub fn rows(&self) -> &[Row] {
        match &self.sessions {
            Sessions::Listed(rows) => rows,
            Sessions::Refused(_) => &[],
        }
    }

    /// Returns the reason why the sessions could not be listed, if so.
    pub fn problem(&self) -> Option<&Problem> {
        match &self.sessions {
            Sessions::Listed(_) => None,
            Sessions::Refused(problem) => Some(problem),
        }
    }

    /// Returns the rows that changed after an earlier version.
    pub fn changed_since(&self, version: u64) -> impl Iterator<Item = &Row> {
        self.rows().iter().zip(&self.changed).filter(move |(_, changed)| **changed > version).map(|(row, _)| row)
    }

    /// Returns the names in an earlier snapshot that are no longer listed.
    pub fn gone_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a str> {
        before.rows().iter().map(|row| row.name.as_str()).filter(|name| self.row(name).is_none())
    }

    /// Returns the row of one session.
    pub fn row(&self, name: &str) -> Option<&Row> {
        let rows = self.rows();
        rows.binary_search_by(|row| row.name.as_str().cmp(name)).ok().map(|at| &rows[at])
    }

    /// Returns the last row of a session before tmux became silent, while it is silent. Its `as_of` says how old it is.
    pub fn last_known(&self, name: &str) -> Option<&Row> {
        let rows = self.known.as_deref()?;
        rows.binary_search_by(|row| row.name.as_str().cmp(name)).ok().map(|at| &rows[at])
    }

    /// Returns the screen of a session as plain text; empty without a pane.
    pub fn screen(&self, name: &str) -> &str {
        let at = self.rows().binary_search_by(|row| row.name.as_str().cmp(name)).ok();
        at.and_then(|at| self.screens.get(at)).map_or("", |screen| screen)
    }

    /// Returns every row with the last `lines` lines of its screen.
    pub fn survey(&self, lines: usize) -> Vec<(Row, String)> {
        let screens = self.screens.iter().map(|screen| standing::last_lines(screen, lines));
        self.rows().iter().cloned().zip(screens.chain(iter::repeat_with(String::new))).collect()
    }

    /// Returns the rows as JSON, serialised once for all callers. `None` if the sessions could not be listed.
    pub fn json(&self) -> Option<Bytes> {
        let Sessions::Listed(rows) = &self.sessions else { return None };
        self.json.get_or_init(|| serde_json::to_vec(rows).ok().map(Bytes::from)).clone()
    }

    /// True if tmux answered, and its server has not been stopped by a signal since.
    pub(super) fn can_see(&self) -> bool {
        let stopped = self.taken.as_ref().and_then(|taken| taken.server.as_ref()).is_some_and(Server::is_stopped);
        self.version > 0 && self.blind.is_none() && self.problem().is_none() && !stopped
    }

    /// True if neither a record nor the config was written since the look.
    pub(super) fn is_current(&self) -> bool {
        self.taken.as_ref().is_some_and(|taken| Stamp::of(&taken.places) == taken.stamp)
    }

    /// Builds the snapshot that follows another one. The flag is true if they differ in more than measurements.
    pub(super) fn after(last: &Self, look: Look, taken: Taken) -> (Self, bool) {
        let sessions = match look.rows {
            Ok(rows) => Sessions::Listed(rows),
            Err(error) => Sessions::Refused(error.problem()),
        };
        let next = (last.version + 1).max(milliseconds());
        let known = look.blind.is_some().then(|| last.known.clone().unwrap_or_else(|| last.rows().into()));
        let mut snapshot = Self {
            version: next,
            as_of: look.as_of,
            sessions,
            blind: look.blind,
            screens: look.screens,
            known,
            taken: Some(taken),
            ..Self::default()
        };
        let changed_at = |row: &Row| last.changed_at(row).unwrap_or(next);
        snapshot.changed = snapshot.rows().iter().map(changed_at).collect();
        let same = last.version > 0
            && (last.problem(), &last.blind) == (snapshot.problem(), &snapshot.blind)
            && last.rows().len() == snapshot.rows().len()
            && !snapshot.changed.contains(&next);
        if same {
            snapshot.version = last.version;
        }
        (snapshot, !same)
    }

    /// True if a screen or a measurement differs from that of an earlier snapshot.
    pub(super) fn shows_other_than(&self, before: &Self) -> bool {
        fn measured(row: &Row) -> (&str, Option<u32>, Option<u64>) {
            (&row.last_line, row.cpu, row.memory)
        }
        self.screens != before.screens || !self.rows().iter().map(measured).eq(before.rows().iter().map(measured))
    }

    /// Returns the version in which a row last changed, if the row is unchanged.
    fn changed_at(&self, row: &Row) -> Option<u64> {
        let rows = self.rows();
        let at = rows.binary_search_by(|other| other.name.cmp(&row.name)).ok()?;
        rows[at].is_like(row).then(|| self.changed[at])
    }
}

/// Returns milliseconds since 1970.
fn milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

impl Stamp {
    pub(super) fn of(places: &Places) -> Self {
        Self { records: seen(&places.records), config: seen(&places.config) }
    }
}

fn seen(path: &Path) -> Option<Seen> {
    let meta = fs::metadata(path).ok()?;
    Some(Seen { inode: meta.ino(), length: meta.len(), changed: (meta.mtime(), meta.mtime_nsec()) })
}

#[cfg(test)]
mod tests {
    use standing::Error;
    use wire::State;

    use super::*;

    fn taken() -> Taken {
        let path = || std::path::PathBuf::from("/nonexistent");
        let places = Places { records: path(), queues: path(), config: path(), event_log: path(), socket: path() };
        Taken { covers: 0, stamp: Stamp::of(&places), places, server: None }
    }

    fn look(rows: Result<Vec<Row>, Error>) -> Look {
        Look {
            rows,
            screens: Vec::new(),
            as_of: "2026-11-29T08:00:00Z".to_owned(),
            blind: None,
            unsettled: false,
            server: None,
        }
    }

    fn listed(rows: &[(&str, State)]) -> Look {
        let row = |&(name, state): &(&str, State)| Row { state, ..Row::titled(name) };
        look(Ok(rows.iter().map(row).collect()))
    }

    fn after(last: &Snapshot, look: Look) -> Snapshot {
        let (next, changed) = Snapshot::after(last, look, taken());
        assert_eq!(changed, next.version > last.version);
        next
    }

    #[test]
    fn new_changed_and_gone_sessions_are_told_by_version() {
        let first = after(
            &Snapshot::default(),
            listed(&[("gone", State::Stopped), ("same", State::Running), ("turned", State::Starting)]),
        );
        let second =
            after(&first, listed(&[("new", State::Stopped), ("same", State::Running), ("turned", State::Running)]));
        let changed: Vec<&str> = second.changed_since(first.version).map(|row| row.name.as_str()).collect();
        assert_eq!(changed, ["new", "turned"]);
        assert_eq!(second.gone_since(&first).collect::<Vec<_>>(), ["gone"]);
        assert_eq!(second.changed_since(second.version).count(), 0);
        assert_eq!(second.changed_since(0).count(), 3);
    }

    #[test]
    fn measurements_alone_are_no_new_version_and_are_served() {
        let first = after(&Snapshot::default(), listed(&[("ops", State::Running)]));
        let row = Row { state: State::Running, memory: Some(7), last_line: "hi".to_owned(), ..Row::titled("ops") };
        let second = after(&first, look(Ok(vec![row])));
        assert_eq!(second.version, first.version);
        assert!(String::from_utf8_lossy(&second.json().expect("listed")).contains("\"memory\":7"));
    }

    #[test]
    fn trouble_and_its_end_are_versions() {
        let refused = || look(Err(Error::ShuttingDown));
        let first = after(&Snapshot::default(), listed(&[]));
        let second = after(&first, refused());
        assert!(second.version > first.version && second.problem().is_some() && second.json().is_none());
        assert_eq!(after(&second, refused()).version, second.version);
        assert!(after(&second, listed(&[])).version > second.version);
    }
}
