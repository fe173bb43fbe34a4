//! Turns two snapshots into events for a client.

use engine::Snapshot;
use wire::{Problem, SessionChange};

/// A change between two snapshots.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    Session(SessionChange),
    /// The sessions could not be listed.
    Refused(Problem),
    /// The sessions can be listed again.
    Listed,
}

/// Returns what changed between two snapshots.
pub(super) fn changes(before: &Snapshot, now: &Snapshot) -> Vec<Change> {
    match (before.problem(), now.problem()) {
        (None, None) => {
            let changed = now.changed_since(before.version).map(SessionChange::of);
            let gone = now.gone_since(before).map(SessionChange::gone);
            changed.chain(gone).map(Change::Session).collect()
        }
        (Some(_), None) => vec![Change::Listed],
        (before, Some(problem)) if before != Some(problem) => vec![Change::Refused(problem.clone())],
        (_, Some(_)) => Vec::new(),
    }
}
