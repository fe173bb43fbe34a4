//! Reads the event log on other threads than those that serve.
//!
//! An unreadable log counts as a log without new lines. The stream continues, and sends the lines once the log is
//! readable.

use engine::Engine;
use standing::events::{Batch, EventReader};
use tokio::sync::Semaphore;

/// Reads at the same time. Every open stream reads after each event, and more threads would only cost memory.
static READS: Semaphore = Semaphore::const_new(4);

/// Returns the current end position of the log.
pub(super) async fn end(engine: &Engine, log: &EventReader) -> u64 {
    let log = log.clone();
    let _permit = READS.acquire().await;
    engine.read(move |_| log.end()).await.unwrap_or_default()
}

/// Returns some lines from a position on.
pub(super) async fn read(engine: &Engine, log: &EventReader, at: u64) -> Batch {
    let log = log.clone();
    let _permit = READS.acquire().await;
    engine.read(move |_| log.read(at)).await.unwrap_or_else(|_| Batch { next: at, ..Batch::default() })
}
