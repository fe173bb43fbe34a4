//! Folder `<state.root>/notify`: private files, whole after any crash.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use files::{
    folder,
    lock::{Lock, LockError, LockFile, Mode},
    read,
    write::{self, Durability},
};
use standing::state_folder;

/// Largest file that is read, in bytes.
const MAX_FILE: usize = 16 << 20;

/// Folder of the data that is kept between runs.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Returns the folder below a state root. The first writer creates it.
    pub(super) fn below(state_root: &Path) -> Self {
        Self(state_root.join("notify"))
    }

    fn prepare(&self) -> io::Result<()> {
        if let Some(root) = self.0.parent() {
            state_folder::make(root).map_err(io::Error::other)?;
        }
        folder::make(&self.0)?;
        folder::check(&self.0)
            .map_err(|found| io::Error::new(io::ErrorKind::PermissionDenied, format!("{}: {found}", self.0.display())))
    }

    /// Returns the text of a file; empty if it does not exist.
    pub(super) fn read(&self, file: &str) -> io::Result<String> {
        Ok(read::text_if_there(&self.0.join(file), MAX_FILE)?.unwrap_or_default())
    }

    /// Replaces a file. After a power loss it holds the old or the new text, whole.
    pub(super) fn write(&self, file: &str, text: &str) -> io::Result<()> {
        self.prepare()?;
        // The registry reports a file system that does not write to disk on request.
        let _synced =
            write::replace(&self.0.join(file), text.as_bytes(), Durability::PowerLoss).map_err(io::Error::other)?;
        Ok(())
    }

    /// Takes a lock, and waits for its holder up to a timeout.
    pub(super) fn lock(&self, file: &str, limit: Duration) -> Result<Lock, LockError> {
        self.prepare()
            .and_then(|()| LockFile::create(&self.0.join(file)))
            .map_err(LockError::Failed)?
            .lock(Mode::Exclusive, limit)
    }
}
