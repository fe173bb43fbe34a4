//! Inbox: accepted replies that are not delivered yet, and messages seen before. It survives any crash.
//!
//! The inbox is an append-only journal. Invariant: a reply is on disk before Slack receives the acknowledgement. From
//! then on the-loop must deliver it or post a refusal. A repeated message is recognised by its event ID, and by channel
//! and time stamp. These are remembered for longer than Slack repeats an event, and for as long as a thread's listing
//! can return the message again.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
    io::{self, Write as _},
    os::unix::fs::MetadataExt as _,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use files::write::{self, Durability};
use serde::{Deserialize, Serialize};

use super::{
    folder::Folder,
    message::{Key, Reply},
    ts::Ts,
};

const FILE: &str = "slack.inbox.jsonl";

/// Overlap with the newest message of a thread when its listing is read and the last read position is unknown. Slack's
/// last repetition of an event comes five minutes after the first.
pub(super) const OVERLAP: Duration = Duration::from_mins(10);

/// Minimum time for which a seen message is remembered.
const REMEMBERED: Duration = Duration::from_hours(1);

/// Growth in bytes after which the journal is rewritten, so that the text of delivered replies does not stay on disk.
const GROWTH: u64 = 128 * 1024;

/// Maximum number of remembered messages, besides the unfinished ones.
const MOST: usize = 20_000;

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    /// Accepted a reply for delivery; `at` is in seconds since 1970.
    Accepted { at: u64, reply: Reply },
    /// Determined the outcome of a reply. Its receipt is not posted yet.
    Came { key: Key, to: Outcome },
    /// Posted the receipt.
    Done { key: Key },
    /// Saw a message that needs no action, or no further one.
    Seen {
        at: u64,
        key: Key,
        thread: Option<Ts>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        event_id: String,
    },
    /// Read a thread's listing up to a message. All earlier messages were seen.
    Read { thread: Ts, to: Ts },
}

/// Outcome of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// The harness accepted it.
    Submitted {
        /// Additional note; usually empty.
        note: String,
    },
    /// The harness has it in its own queue.
    Queued {
        /// Additional note; usually empty.
        note: String,
    },
    /// It was typed, and there is no evidence that the harness accepted it.
    Unconfirmed {
        /// Reason, if it is worth reporting.
        note: String,
    },
    /// It was not delivered.
    Refused {
        /// Reason, in Slack's markup.
        reason: String,
    },
    /// It requested the screen, which is in the text.
    Shown {
        /// Screen in Slack's markup.
        text: String,
    },
}

/// A reply that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub(super) reply: Reply,
    /// Outcome, if it is known already.
    pub(super) outcome: Option<Outcome>,
    at: u64,
}

#[derive(Debug)]
struct Seen {
    at: u64,
    thread: Option<Ts>,
    event_id: String,
}

/// Inbox of an instance. Only the process that listens has it open.
#[derive(Debug)]
pub(super) struct Inbox {
    folder: Folder,
    file: File,
    grown: u64,
    torn: bool,
    pending: BTreeMap<Key, Pending>,
    seen: HashMap<Key, Seen>,
    event_ids: HashSet<String>,
    /// Newest message of each thread.
    newest: HashMap<Ts, Ts>,
    /// Position up to which each thread was read: later messages may be listed again.
    read: HashMap<Ts, Ts>,
}

impl Inbox {
    /// Opens the journal. Unreadable lines are skipped; the last line may be one after a crash. The reply of such a
    /// line was never acknowledged, so Slack sends it again.
    pub(super) fn open(folder: &Folder) -> io::Result<Self> {
        let text = folder.read(FILE)?;
        let mut inbox = Self {
            folder: folder.clone(),
            file: folder.append(FILE)?,
            grown: 0,
            torn: false,
            pending: BTreeMap::new(),
            seen: HashMap::new(),
            event_ids: HashSet::new(),
            newest: HashMap::new(),
            read: HashMap::new(),
        };
        let mut unread = 0_usize;
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(line) => inbox.take(line),
                Err(_) => unread += 1,
            }
        }
        if unread > 0 {
            tracing::warn!(lines = unread, "ignored unreadable lines in the Slack inbox");
        }
        inbox.rewrite()?;
        Ok(inbox)
    }

    /// Stores replies, on disk when this returns. Returns those that are new.
    pub(super) fn accept(&mut self, replies: Vec<Reply>) -> io::Result<Vec<Reply>> {
        let mut fresh: Vec<Reply> = Vec::new();
        for reply in replies {
            let twice = fresh.iter().any(|other| other.key() == reply.key());
            if !twice && !self.knows(&reply.key(), &reply.event_id) {
                fresh.push(reply);
            }
        }
        if fresh.is_empty() {
            return Ok(fresh);
        }
        let at = now();
        self.add(fresh.iter().map(|reply| Line::Accepted { at, reply: reply.clone() }).collect())?;
        Ok(fresh)
    }

    /// Records a message that needs no action; true if it is new.
    pub(super) fn note(&mut self, key: Key, thread: Option<Ts>, event_id: &str) -> bool {
        if self.knows(&key, event_id) {
            return false;
        }
        let line = Line::Seen { at: now(), key, thread, event_id: event_id.to_owned() };
        // If this line is lost, the message is reported once more.
        let _ = self.add(vec![line]);
        true
    }

    /// Records the outcome of a reply.
    pub(super) fn came_to(&mut self, key: &Key, outcome: &Outcome) {
        // After a crash the outcome is determined again: a typed reply is not typed twice.
        self.add_or_tell(Line::Came { key: key.clone(), to: outcome.clone() });
    }

    /// Marks a reply as finished.
    pub(super) fn done(&mut self, key: &Key) {
        self.add_or_tell(Line::Done { key: key.clone() });
    }

    /// Returns the unfinished replies, in the order of their time stamps.
    pub(super) fn pending(&self) -> Vec<Pending> {
        let mut pending: Vec<Pending> = self.pending.values().cloned().collect();
        pending.sort_by(|a, b| a.reply.ts.cmp(&b.reply.ts));
        pending
    }

    /// Returns the number of unfinished replies.
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Returns the newest seen message of each thread.
    pub(super) fn newest(&self) -> HashMap<Ts, Ts> {
        let mut newest = self.newest.clone();
        for (thread, read) in &self.read {
            let seen = newest.entry(thread.clone()).or_insert_with(|| read.clone());
            *seen = (*seen).clone().max(read.clone());
        }
        newest
    }

    /// Returns the point from which a thread's listing must be read. `cursor` is the last stored read position.
    pub(super) fn unread_from(&self, thread: &Ts, cursor: Option<Ts>) -> Ts {
        let read = self.read.get(thread).cloned();
        let about = || cursor.max(self.newest.get(thread).cloned()).map(|seen| seen.before(OVERLAP));
        read.or_else(about).unwrap_or_else(|| thread.clone()).max(thread.clone())
    }

    /// Records the position up to which a thread's listing was read.
    pub(super) fn read_to(&mut self, thread: &Ts, to: &Ts) {
        if self.read.get(thread).is_none_or(|read| read < to) {
            // If this line is lost, a page is read once more.
            let _ = self.add(vec![Line::Read { thread: thread.clone(), to: to.clone() }]);
        }
    }

    /// Forgets the read positions of threads that no longer belong to a session.
    pub(super) fn let_go(&mut self, threads: &[Ts]) {
        for thread in threads {
            self.read.remove(thread);
        }
    }

    /// True if a message was seen before.
    pub(super) fn has_seen(&self, key: &Key) -> bool {
        self.seen.contains_key(key)
    }

    fn knows(&self, key: &Key, event_id: &str) -> bool {
        self.seen.contains_key(key) || (!event_id.is_empty() && self.event_ids.contains(event_id))
    }

    fn add_or_tell(&mut self, line: Line) {
        if let Err(error) = self.add(vec![line]) {
            tracing::warn!(%error, "could not write the Slack inbox; after a crash, messages may be delivered twice");
        }
    }

    /// Appends lines in one write, then applies them. An accepted reply that is not certainly on disk is not applied:
    /// Slack still has it. All other lines apply to this run, written or not.
    fn add(&mut self, lines: Vec<Line>) -> io::Result<()> {
        // A failed write may have left half a line, which must not corrupt the next one.
        let mut text = if self.torn { "\n".to_owned() } else { String::new() };
        for line in &lines {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        let is_ours = |line: &Line| matches!(line, Line::Accepted { .. });
        if self.file.metadata()?.nlink() == 0 {
            // The folder was cleared, and writes to the old file would be lost.
            self.rewrite()?;
        }
        let mut written = self.file.write_all(text.as_bytes());
        self.torn = written.is_err();
        if written.is_ok() && lines.iter().any(is_ours) {
            written = write::sync_data(&self.file);
        }
        self.grown += text.len() as u64;
        for line in lines {
            if written.is_ok() || !is_ours(&line) {
                self.take(line);
            }
        }
        if self.grown > GROWTH
            && let Err(error) = self.rewrite()
        {
            tracing::warn!(%error, "could not compact the Slack inbox; it keeps growing");
        }
        written
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Accepted { at, reply } => {
                let seen = Seen { at, thread: Some(reply.thread.clone()), event_id: reply.event_id.clone() };
                self.see(reply.key(), seen);
                self.pending.insert(reply.key(), Pending { reply, outcome: None, at });
            }
            Line::Came { key, to } => {
                if let Some(pending) = self.pending.get_mut(&key) {
                    pending.outcome = Some(to);
                }
            }
            Line::Done { key } => {
                self.pending.remove(&key);
            }
            Line::Seen { at, key, thread, event_id } => self.see(key, Seen { at, thread, event_id }),
            Line::Read { thread, to } => {
                let read = self.read.entry(thread).or_insert_with(|| to.clone());
                *read = (*read).clone().max(to);
            }
        }
    }

    fn see(&mut self, key: Key, seen: Seen) {
        if let Some(thread) = &seen.thread {
            let newest = self.newest.entry(thread.clone()).or_insert_with(|| key.1.clone());
            *newest = (*newest).clone().max(key.1.clone());
        }
        if !seen.event_id.is_empty() {
            self.event_ids.insert(seen.event_id.clone());
        }
        self.seen.insert(key, seen);
    }

    /// Removes messages that are finished, old, and can no longer be listed again.
    fn forget(&mut self) {
        let recent = now().saturating_sub(REMEMBERED.as_secs());
        let (pending, newest, read) = (&self.pending, &self.newest, &mut self.read);
        self.seen.retain(|key, seen| {
            let may_come_again = seen.thread.as_ref().is_some_and(|thread| match read.get(thread) {
                Some(read) => key.1 > *read,
                None => newest.get(thread).is_some_and(|newest| key.1 >= newest.before(OVERLAP.saturating_mul(2))),
            });
            seen.at >= recent || may_come_again || pending.contains_key(key)
        });
        if self.seen.len() <= MOST {
            return;
        }
        let mut oldest: Vec<(u64, Key)> = self.seen.iter().map(|(key, seen)| (seen.at, key.clone())).collect();
        oldest.sort();
        for (_, key) in oldest.into_iter().take(self.seen.len() - MOST).filter(|(_, key)| !pending.contains_key(key)) {
            // A forgotten message must not be read again.
            if let Some(thread) = self.seen.remove(&key).and_then(|seen| seen.thread) {
                let read = read.entry(thread).or_insert_with(|| key.1.clone());
                *read = (*read).clone().max(key.1);
            }
        }
    }

    /// Rewrites the journal with the lines that are still needed.
    fn rewrite(&mut self) -> io::Result<()> {
        self.forget();
        let pending = &self.pending;
        let kept: Vec<Line> = self
            .seen
            .iter()
            .filter(|(key, _)| !pending.contains_key(*key))
            .map(|(key, seen)| Line::Seen {
                at: seen.at,
                key: key.clone(),
                thread: seen.thread.clone(),
                event_id: seen.event_id.clone(),
            })
            .chain(pending.values().flat_map(|pending| {
                let accepted = Line::Accepted { at: pending.at, reply: pending.reply.clone() };
                let came = pending.outcome.clone().map(|to| Line::Came { key: pending.reply.key(), to });
                std::iter::once(accepted).chain(came)
            }))
            .chain(self.read.iter().map(|(thread, to)| Line::Read { thread: thread.clone(), to: to.clone() }))
            .collect();
        let mut text = String::new();
        for line in &kept {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        self.folder.write(FILE, &text, Durability::PowerLoss)?;
        self.file = self.folder.append(FILE)?;
        self.torn = false;
        self.grown = 0;
        self.seen.clear();
        self.pending.clear();
        self.event_ids.clear();
        self.newest.clear();
        for line in kept {
            self.take(line);
        }
        Ok(())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests;
