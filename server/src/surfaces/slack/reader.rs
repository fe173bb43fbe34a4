//! Shared state of the reading of threads.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::{sync::Notify, time::Instant};

use super::{slowed::Slowing, turns::Turns};

/// Shared state of the reading task and its callers.
#[derive(Debug, Default)]
pub(super) struct Reader {
    state: Mutex<State>,
    /// Signals that there may be another page to read.
    pub(super) changed: Notify,
}

/// State of the reading.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) turns: Turns,
    pub(super) slowing: Slowing,
}

impl Reader {
    /// Requests that all threads are read now.
    pub(super) fn greeted(&self) {
        self.state().turns.greeted(Instant::now());
        self.changed.notify_one();
    }

    /// Records that a message arrived from a channel.
    pub(super) fn heard_from(&self, channel: &str) {
        if self.state().turns.heard_from(channel) {
            self.changed.notify_one();
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
