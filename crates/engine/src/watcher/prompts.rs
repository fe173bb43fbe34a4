//! Prompts that have opened, for the event log.
//!
//! Only what the watcher saw happen is an event: a prompt that was open at its first look is none, since it may have been
//! open, and written down, before.

use std::sync::Arc;

use standing::{SessionName, events::Event};
use wire::{Activity, Row, State};

use super::{Shared, snapshot::Snapshot};

/// Returns the sessions that wait at a prompt now and did not before.
pub(super) fn opened(before: &Snapshot, now: &Snapshot) -> Vec<String> {
    // Without an earlier list, nothing was seen to happen.
    if before.version == 0 || before.problem().is_some() {
        return Vec::new();
    }
    let opened = now.rows().iter().filter(|row| waits(row)).filter(|row| {
        let known = before.last_known(&row.name).or_else(|| before.row(&row.name));
        !known.is_some_and(waits)
    });
    opened.map(|row| row.name.clone()).collect()
}

fn waits(row: &Row) -> bool {
    row.state == State::Running && row.activity == Activity::Waiting
}

/// Writes an event for each of the sessions.
pub(super) fn write(shared: &Arc<Shared>, names: Vec<String>) {
    if names.is_empty() {
        return;
    }
    let the_loop = shared.the_loop.clone();
    // The log may be locked by another writer.
    tokio::task::spawn_blocking(move || {
        for name in names.iter().filter_map(|name| SessionName::parse(name).ok()) {
            let event = Event::info("standing.prompt_opened").with("standing", name.as_str());
            the_loop.emit(event.with("tmux_target", name.tmux_session()));
        }
    });
}
