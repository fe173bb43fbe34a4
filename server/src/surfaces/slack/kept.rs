//! Access to the inbox from threads that may block only: its writes are on disk when they return.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::{blocking::blocking, inbox::Inbox};

/// Inbox of a run.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    inbox: Arc<Mutex<Inbox>>,
    worked: Arc<Notify>,
}

impl Kept {
    pub(super) fn new(inbox: Inbox) -> Self {
        Self { inbox: Arc::new(Mutex::new(inbox)), worked: Arc::default() }
    }

    /// Changes the inbox on a blocking thread.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Inbox) -> T + Send + 'static,
    ) -> Result<T, String> {
        let kept = self.clone();
        blocking(move || kept.here(work)).await
    }

    /// Reads from the inbox on a blocking thread.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Inbox) -> T + Send + 'static,
    ) -> Result<T, String> {
        let inbox = Arc::clone(&self.inbox);
        blocking(move || read(&inbox.lock().unwrap_or_else(PoisonError::into_inner))).await
    }

    /// Uses the inbox on the current thread, which may block.
    pub(super) fn here<T>(&self, work: impl FnOnce(&mut Inbox) -> T) -> T {
        let done = work(&mut self.inbox.lock().unwrap_or_else(PoisonError::into_inner));
        self.worked.notify_one();
        done
    }

    /// Waits for the next change of the inbox since the last call.
    pub(super) async fn worked(&self) {
        self.worked.notified().await;
    }
}
