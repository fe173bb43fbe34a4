//! One episode, and its notifications to each target.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wire::{Attention, Need};

use super::{Act, Now, SETTLES, UNCLEAR};
use crate::surfaces::notify::{hash, rule::Rule};

/// A need from its beginning to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::surfaces::notify) struct Episode {
    pub(in crate::surfaces::notify) kind: Need,
    pub(in crate::surfaces::notify) sessions: Vec<String>,
    pub(in crate::surfaces::notify) since: String,
    /// Hash of the prompt, which is private.
    pub(super) mark: String,
    /// Time at which it was first seen, in milliseconds.
    pub(super) seen: u64,
    /// Notifications, by target.
    pub(super) told: BTreeMap<String, Told>,
    /// True once the need is over, and targets remain to be told so.
    pub(super) over: bool,
    /// Its absence.
    #[serde(skip)]
    pub(super) absent: Option<Absence>,
    /// True while nothing is known of its sessions. It neither rings nor ends.
    #[serde(skip)]
    pub(super) hidden: bool,
    /// The need as last seen; `None` after a restart, until it is seen again.
    #[serde(skip)]
    pub(super) entry: Option<Attention>,
}

/// Time without the need, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::surfaces::notify) struct Absence {
    /// Beginning.
    from: u64,
    /// Beginning of the time in which as much is known of the session as now.
    since: u64,
    /// Length of that time after which the episode is over.
    grace: u64,
}

impl Absence {
    /// Continues an absence, or begins one. A screen that was not recognised says nothing about the look after it.
    pub(super) fn continued(before: Option<Self>, now: Now, grace: u64) -> Self {
        match before {
            Some(before) if before.grace == grace => before,
            before => Self { from: before.map_or(now.ms, |before| before.from), since: now.ms, grace },
        }
    }

    /// Returns the time at which the episode is over.
    pub(super) fn ends(&self) -> u64 {
        (self.since + self.grace).min(self.from + UNCLEAR)
    }
}

/// Notifications of an episode to one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::surfaces::notify) struct Told {
    /// Number of successful notifications.
    pub(super) rings: u32,
    /// Time of the last one, in milliseconds.
    pub(super) at: u64,
    /// Number of failed attempts of the job that is due.
    pub(super) failed: u32,
    /// Earliest time of the next attempt, in milliseconds.
    pub(super) not_before: u64,
    /// True while a job is being done.
    pub(super) busy: bool,
    /// True if the last attempt may have arrived, although no answer did.
    pub(super) unsure: bool,
}

impl Episode {
    /// Begins an episode.
    pub(super) fn begin(now: Now, entry: &Attention) -> Self {
        Self {
            kind: entry.kind,
            sessions: entry.sessions.clone(),
            since: entry.since.clone(),
            mark: hash::short(&entry.reason),
            seen: now.ms,
            told: BTreeMap::new(),
            over: false,
            absent: None,
            hidden: false,
            entry: None,
        }
    }

    pub(super) fn due(&self, now: Now, rule: &Rule) -> Option<Act> {
        if now.ms < self.due_at(rule)? {
            return None;
        }
        if self.over {
            return Some(Act::Settle);
        }
        if rule.quiet.is_some_and(|quiet| quiet.holds(now.minute)) {
            return None;
        }
        Some(Act::Ring(Box::new(self.entry.clone()?)))
    }

    /// Returns the time of the next job for a target, in milliseconds; `None` if there is none.
    pub(super) fn due_at(&self, rule: &Rule) -> Option<u64> {
        let told = self.told.get(&rule.target);
        if told.is_some_and(|told| told.busy) {
            return None;
        }
        if self.over {
            return told.map(|told| told.not_before);
        }
        let entry =
            self.entry.as_ref().filter(|_| self.absent.is_none() && !self.hidden).filter(|entry| rule.wants(entry))?;
        match told {
            Some(told) if told.rings > 0 && told.failed == 0 => Some(told.at + milliseconds(rule.repeat?)),
            Some(told) if told.failed > 0 => Some(told.not_before),
            _ => {
                let settles = if entry.kind == Need::Answer { 2 * SETTLES } else { SETTLES };
                let began = begun(&self.since).unwrap_or(self.seen).min(self.seen);
                Some((began + milliseconds(rule.after)).max(self.seen + settles))
            }
        }
    }
}

/// Subject of an episode: the kind of need, and a session.
pub(super) type Subject = (Need, String);

/// Returns the subjects of an episode. An account has an episode for all its sessions, which come and go.
pub(super) fn subjects_of(kind: Need, sessions: &[String]) -> impl Iterator<Item = Subject> {
    let count = if kind.is_of_account() { sessions.len() } else { 1 };
    sessions.iter().take(count).map(move |name| (kind, name.clone()))
}

/// Returns a time of a row in milliseconds since 1970.
fn begun(since: &str) -> Option<u64> {
    since.parse::<jiff::Timestamp>().ok().and_then(|at| u64::try_from(at.as_millisecond()).ok())
}

fn milliseconds(span: std::time::Duration) -> u64 {
    span.as_millis().try_into().unwrap_or(u64::MAX / 4)
}
