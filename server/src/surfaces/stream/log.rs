//! Reads the event log on other threads than those that serve.
//!
//! An unreadable log counts as a log without new lines. The stream continues, and sends the lines once the log is
//! readable.

use engine::Engine;
use standing::events::{Batch, EventReader};

/// Returns the current end position of the log.
pub(super) async fn end(engine: &Engine, log: &EventReader) -> u64 {
    let log = log.clone();
    engine.read(move |_| log.end()).await.unwrap_or_default()
}

/// Returns some lines from a position on.
pub(super) async fn read(engine: &Engine, log: &EventReader, at: u64) -> Batch {
    let log = log.clone();
    engine.read(move |_| log.read(at)).await.unwrap_or_else(|_| Batch { next: at, ..Batch::default() })
}
