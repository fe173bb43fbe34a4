//! The inbox, to be had only where it may block: what it writes is on disk when it returns.

use std::sync::{Arc, Mutex, PoisonError};

use super::{blocking::blocking, inbox::Inbox};

/// The inbox of a run.
#[derive(Clone, Debug)]
pub(super) struct Kept(Arc<Mutex<Inbox>>);

impl Kept {
    pub(super) fn new(inbox: Inbox) -> Self {
        Self(Arc::new(Mutex::new(inbox)))
    }

    /// Works with the inbox beside the asynchronous tasks.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Inbox) -> T + Send + 'static,
    ) -> Result<T, String> {
        let kept = self.clone();
        blocking(move || kept.here(work)).await
    }

    /// Works with the inbox on a thread that may block.
    pub(super) fn here<T>(&self, work: impl FnOnce(&mut Inbox) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
