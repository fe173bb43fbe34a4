//! Folder `<state.root>/channels`: its files are whole after any crash, readable by their owner only, and written by
//! one writer at a time.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use files::{
    folder,
    lock::{Lock, LockError, LockFile, Mode},
    open, read,
    write::{self, Durability, Synced},
};
use standing::state_folder;

/// Largest file that is read, in bytes.
const MAX_FILE: usize = 256 * 1024 * 1024;

/// Folder of the data that is kept between runs.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Returns the folder below a state root. The first writer creates it.
    pub(super) fn below(state_root: &Path) -> Self {
        Self { path: state_root.join("channels") }
    }

    pub(super) fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Prepares the folder for a change. Any account that can write here can send messages to sessions.
    pub(super) fn prepare(&self) -> io::Result<()> {
        if let Some(root) = self.path.parent() {
            state_folder::make(root).map_err(io::Error::other)?;
        }
        folder::make(&self.path)?;
        folder::check(&self.path).map_err(|found| {
            io::Error::new(io::ErrorKind::PermissionDenied, format!("{}: {found}", self.path.display()))
        })
    }

    /// Returns the text of a file; empty if it does not exist. Symbolic links are not followed.
    pub(super) fn read(&self, file: &str) -> io::Result<String> {
        Ok(read::text_if_there(&self.path_of(file), MAX_FILE)?.unwrap_or_default())
    }

    /// Replaces a file atomically: after a crash it holds the old or the new text, whole.
    pub(super) fn write(&self, file: &str, text: &str, durability: Durability) -> io::Result<()> {
        self.prepare()?;
        // The registry reports a file system that does not write to disk on request.
        let _synced = write::replace(&self.path_of(file), text.as_bytes(), durability).map_err(io::Error::other)?;
        Ok(())
    }

    /// Opens a file for appending.
    pub(super) fn append(&self, file: &str) -> io::Result<File> {
        self.prepare()?;
        let opened = open::append(&self.path_of(file))?;
        let _synced: Synced = folder::sync(&self.path)?;
        Ok(opened)
    }

    /// Takes a lock, and waits for its holder up to a timeout.
    pub(super) fn lock(&self, file: &str, limit: Duration) -> Result<Lock, LockError> {
        self.prepare()
            .and_then(|()| LockFile::create(&self.path_of(file)))
            .map_err(LockError::Failed)?
            .lock(Mode::Exclusive, limit)
    }

    /// True if a process holds a lock. Neither creates the file nor takes the lock.
    pub(super) fn is_locked(&self, file: &str) -> bool {
        LockFile::existing(&self.path_of(file)).is_ok_and(|file| file.is_held())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn files_are_private_and_links_are_not_followed() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        assert_eq!(folder.read("a").expect("no file is an empty one"), "");
        folder.write("a", "text", Durability::PowerLoss).expect("written");
        assert_eq!(folder.read("a").expect("read"), "text");
        let mode = |path: PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(folder.path_of("a")), mode(folder.path_of(""))), (0o600, 0o700));
        std::os::unix::fs::symlink("/etc/hostname", folder.path_of("b")).expect("a link");
        folder.read("b").expect_err("a link");
        folder.append("b").expect_err("a link");
        fs::set_permissions(folder.path_of(""), fs::Permissions::from_mode(0o770)).expect("changed");
        folder.write("a", "text", Durability::Crash).expect_err("others may write here");
    }

    #[test]
    fn one_holds_a_lock() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        assert!(!folder.is_locked("l") && !folder.path_of("l").exists(), "looking makes nothing");
        let held = folder.lock("l", Duration::ZERO).expect("free");
        assert!(folder.is_locked("l") && folder.lock("l", Duration::ZERO).is_err());
        drop(held);
        assert!(!folder.is_locked("l"));
        folder.lock("l", Duration::ZERO).expect("free again");
    }
}
