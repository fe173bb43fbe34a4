//! The event log, read away from the threads that serve.
//!
//! A log that cannot be read has nothing new: the stream goes on, and tells of it when it can be read again.

use engine::Engine;
use standing::events::{Batch, EventReader};

/// Where the log ends now.
pub(super) async fn end(engine: &Engine, log: &EventReader) -> u64 {
    let log = log.clone();
    engine.read(move |_| log.end()).await.unwrap_or_default()
}

/// Some lines from a position on.
pub(super) async fn read(engine: &Engine, log: &EventReader, at: u64) -> Batch {
    let log = log.clone();
    engine.read(move |_| log.read(at)).await.unwrap_or_else(|_| Batch { next: at, ..Batch::default() })
}
