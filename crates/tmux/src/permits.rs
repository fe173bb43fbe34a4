//! Limit of concurrent tmux queries. The server answers them one by one anyway, and each query is a process: with two
//! hundred at once, the last one would count as silence.

use std::sync::{Condvar, Mutex, PoisonError};

const AT_ONCE: usize = 24;

/// Permits of one verb, which may query from many threads.
#[derive(Debug)]
pub(crate) struct Permits {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// Permit of one query, returned when dropped.
#[derive(Debug)]
pub(crate) struct Permit<'a>(&'a Permits);

impl Default for Permits {
    fn default() -> Self {
        Self { free: Mutex::new(AT_ONCE), given_back: Condvar::new() }
    }
}

impl Permits {
    /// Waits for a free permit. Each query has a timeout, so the wait ends.
    pub(crate) fn take(&self) -> Permit<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.given_back.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}
