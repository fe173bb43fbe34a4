//! Kept messages by id, read once per session and page.

use std::collections::{HashMap, HashSet};

use wire::{Evidence, SessionName, Verdict};

use super::{
    Entry, EntryKind,
    entry::{TAKEN_BACK, TAKEN_UP, TURN_ENDED},
};
use crate::messages::{Kept, Messages};

/// Kept messages of the sessions that a page shows.
pub(super) struct Texts<'a> {
    messages: &'a Messages,
    kept: HashMap<String, Vec<Kept>>,
    /// Messages that are known to have left the queue, by id: true if they became turns.
    left: HashMap<String, bool>,
    /// Ids of the messages that have a line in the part of the log that was read.
    logged: HashSet<String>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(messages: &'a Messages) -> Self {
        Self { messages, kept: HashMap::new(), left: HashMap::new(), logged: HashSet::new() }
    }

    /// Notes an event, read from the newest to the oldest.
    pub(super) fn note(&mut self, entry: &Entry) {
        match entry.event.as_str() {
            TAKEN_UP => drop(self.left.insert(entry.message_id.clone(), true)),
            TAKEN_BACK => drop(self.left.insert(entry.message_id.clone(), false)),
            TURN_ENDED => {}
            _ if entry.message_id.is_empty() => {}
            _ => drop(self.logged.insert(entry.message_id.clone())),
        }
    }

    /// Returns the entry with its text and its verdict as it is now.
    pub(super) fn complete(&mut self, mut entry: Entry) -> Entry {
        if !matches!(entry.kind, EntryKind::Message | EntryKind::Answer) {
            return entry;
        }
        // The log alone tells a later verdict as well, for a message that is not kept.
        match self.left.get(&entry.message_id) {
            Some(true) => (entry.verdict, entry.evidence) = (Some(Verdict::Submitted), Some(Evidence::Transcript)),
            Some(false) => entry.verdict = Some(Verdict::NotDelivered),
            None => {}
        }
        let kept = self.of(&entry.session).iter().find(|kept| kept.message_id == entry.message_id).cloned();
        match kept {
            Some(kept) => entry.with(kept),
            None => entry,
        }
    }

    /// Returns a kept message by its id.
    pub(super) fn by_id(&mut self, session: &str, id: &str) -> Option<Entry> {
        let kept = self.of(session).iter().find(|kept| kept.message_id == id).cloned();
        kept.and_then(|kept| Entry::of_kept(session, kept))
    }

    /// Returns the kept messages of a session that have no line in the part of the log that was read, newest first.
    pub(super) fn without_line(&mut self, session: &SessionName) -> Vec<Entry> {
        let kept = self.of(session.as_str()).to_vec();
        let rest = kept.into_iter().rev().filter(|kept| !self.logged.contains(&kept.message_id));
        rest.filter_map(|kept| Entry::of_kept(session.as_str(), kept)).collect()
    }

    fn of(&mut self, session: &str) -> &[Kept] {
        let messages = self.messages;
        self.kept
            .entry(session.to_owned())
            .or_insert_with(|| SessionName::parse(session).map(|name| messages.read(&name)).unwrap_or_default())
    }
}
