//! The event log, read away from the threads that serve.
//!
//! A log that cannot be read has nothing new: the stream goes on, and tells of it when it can be read again.

use standing::events::{Batch, EventReader};
use tokio::task;

/// Where the log ends now.
pub(super) async fn end(log: &EventReader) -> u64 {
    let log = log.clone();
    task::spawn_blocking(move || log.end()).await.ok().and_then(Result::ok).unwrap_or_default()
}

/// Some lines from a position on.
pub(super) async fn read(log: &EventReader, at: u64) -> Batch {
    let log = log.clone();
    let read = task::spawn_blocking(move || log.read(at)).await;
    read.ok().and_then(Result::ok).unwrap_or_else(|| Batch { next: at, ..Batch::default() })
}
