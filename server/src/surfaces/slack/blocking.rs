//! Runs blocking work outside the asynchronous tasks: waits for locks, and writes that are on disk when they return.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use files::lock::{Lock, LockError};
use futures_util::FutureExt as _;
use standing::Error;
use tokio::{
    task,
    time::{self, Instant},
};

use super::folder::Folder;

/// Runs blocking work on its own thread. Once started, the work runs to its end even if the caller is dropped.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    task::spawn_blocking(work).await.map_err(|error| format!("it did not finish ({error})"))
}

/// Waits for a verb and turns a panic in it into an error. The reply's thread is then told, and later replies are
/// delivered.
///
/// Never returns for a verb that the shutdown of the service kept from starting: the reply stays in the inbox for the
/// next run.
pub(super) async fn unbroken<T>(verb: impl Future<Output = Result<T, Error>>) -> Result<Result<T, Error>, String> {
    match AssertUnwindSafe(verb).catch_unwind().await {
        Ok(Err(Error::ShuttingDown)) => std::future::pending().await,
        Ok(done) => Ok(done),
        Err(_) => Err("it did not finish; see the log of the service".to_owned()),
    }
}

/// One lock per file: of the callers that wait for a file, one occupies a thread and the others none.
static WAITING: Mutex<BTreeMap<PathBuf, Arc<tokio::sync::Mutex<()>>>> = Mutex::new(BTreeMap::new());

/// Takes a lock, and waits for its holder up to a timeout.
pub(super) async fn lock(folder: &Folder, file: &'static str, wait: Duration) -> Result<Lock, String> {
    let deadline = Instant::now() + wait;
    let path = folder.path_of(file);
    let waiting = Arc::clone(WAITING.lock().unwrap_or_else(PoisonError::into_inner).entry(path.clone()).or_default());
    let busy = || format!("{}: locked by another the-loop process", path.display());
    let _turn = time::timeout_at(deadline, waiting.lock()).await.map_err(|_| busy())?;
    let (at, left) = (folder.clone(), deadline.saturating_duration_since(Instant::now()));
    blocking(move || at.lock(file, left)).await?.map_err(|error| match error {
        LockError::Busy => busy(),
        error => error.to_string(),
    })
}
