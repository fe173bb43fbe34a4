//! What blocks, beside the asynchronous tasks: waits for locks, and writes that are on disk when they return.

use std::{io, time::Duration};

use tokio::{
    task,
    time::{self, Instant},
};

use super::folder::{Folder, Held};

/// How often a held lock is tried again.
const RETRY: Duration = Duration::from_millis(20);

/// Runs what blocks beside the tasks. Once begun it comes to its end, even if its caller is gone.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    task::spawn_blocking(work).await.map_err(|error| format!("it did not come to its end ({error})"))
}

/// Takes a lock, waiting for it without a thread.
pub(super) async fn lock(folder: &Folder, file: &'static str, wait: Duration) -> Result<Held, String> {
    let begun = Instant::now();
    loop {
        let at = folder.clone();
        let tried: io::Result<Option<Held>> = blocking(move || at.try_lock(file)).await?;
        if let Some(held) = tried.map_err(|error| error.to_string())? {
            return Ok(held);
        }
        if begun.elapsed() >= wait {
            return Err(format!("{}: another the-loop holds it", folder.path_of(file).display()));
        }
        time::sleep(RETRY).await;
    }
}
