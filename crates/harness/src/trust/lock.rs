//! Locks of a trust file: one of the-loop for each real file, and the vendor's.
//!
//! the-loop locks the folder that holds the file: that leaves nothing behind and ends with its holder. A vendor's lock
//! is a folder `<file>.lock` that exists during a write. A folder whose time is older than ten seconds was left behind
//! by a program that ended, and is taken over, as the vendors do it.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use files::lock::{Lock, LockError, LockFile, Mode};
use process::clock;

/// Method by which the program that owns a file locks it against other writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    /// No lock.
    Unlocked,
    /// A folder beside the file, named after it.
    Folder,
}

/// Timeout of a lock: longer than an abandoned vendor's lock is honoured.
const WAIT: Duration = Duration::from_secs(15);

/// Age from which a vendor's lock counts as abandoned. A holder touches it every five seconds.
const STALE: Duration = Duration::from_secs(10);

const INTERVAL: Duration = Duration::from_millis(5);

/// Lock of a file, held until dropped.
#[derive(Debug)]
pub(super) struct Locked {
    _own: Option<Lock>,
    folders: Vec<PathBuf>,
}

impl Locked {
    /// Locks a file by its given name and by its real one.
    pub(super) fn take(named: &Path, real: &Path, vendor: Vendor) -> Result<Self, String> {
        let deadline = Instant::now() + WAIT;
        let dir = real.parent().unwrap_or(Path::new("/"));
        let mut locked = Self { _own: own(dir, deadline)?, folders: Vec::new() };
        if vendor == Vendor::Folder {
            for file in [Some(named), (named != real).then_some(real)].into_iter().flatten() {
                let mut folder = file.as_os_str().to_owned();
                folder.push(".lock");
                let folder = PathBuf::from(folder);
                enter(&folder, deadline)?;
                locked.folders.push(folder);
            }
        }
        Ok(locked)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        for folder in self.folders.drain(..).rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Takes the-loop's own lock; `None` on a file system without locks, where the vendor's lock and the check at the write
/// remain.
fn own(dir: &Path, deadline: Instant) -> Result<Option<Lock>, String> {
    let folder = LockFile::folder(dir).map_err(|error| error.to_string())?;
    match folder.lock(Mode::Exclusive, deadline.saturating_duration_since(Instant::now())) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Busy) => Err(held_for_too_long(dir)),
        Err(LockError::Unsupported(_) | LockError::Failed(_)) => Ok(None),
    }
}

/// Creates a vendor's lock folder once it is free or abandoned.
fn enter(folder: &Path, deadline: Instant) -> Result<(), String> {
    loop {
        match fs::create_dir(folder) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("could not lock {}: {error}", folder.display())),
        }
        match left_behind(folder) {
            Ok(true) if fs::remove_dir(folder).is_ok() => {}
            // The lock was released meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            _ => wait(deadline, folder)?,
        }
    }
}

fn left_behind(folder: &Path) -> io::Result<bool> {
    let touched = fs::symlink_metadata(folder)?.modified()?;
    Ok(clock::is_older(touched, STALE))
}

fn wait(deadline: Instant, lock: &Path) -> Result<(), String> {
    if Instant::now() >= deadline {
        return Err(held_for_too_long(lock));
    }
    thread::sleep(INTERVAL);
    Ok(())
}

fn held_for_too_long(lock: &Path) -> String {
    format!("another program has held the lock {} for more than {} s", lock.display(), WAIT.as_secs())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_vendors_lock_is_waited_for_and_given_back() {
        let dir = tempfile::tempdir().expect("made");
        let (file, theirs) = (dir.path().join("f.json"), dir.path().join("f.json.lock"));
        fs::create_dir(&theirs).expect("made");
        let (told, tells) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let locked = Locked::take(&file, &file, Vendor::Folder).expect("taken");
                told.send(()).expect("heard");
                drop(locked);
            });
            assert!(tells.recv_timeout(Duration::from_millis(50)).is_err(), "it was taken while they held it");
            fs::remove_dir(&theirs).expect("given back");
            tells.recv().expect("taken");
        });
        assert!(!theirs.exists(), "given back");
    }

    #[test]
    fn a_lock_that_was_left_behind_is_taken_over() {
        let dir = tempfile::tempdir().expect("made");
        let (file, theirs) = (dir.path().join("f.json"), dir.path().join("f.json.lock"));
        fs::create_dir(&theirs).expect("made");
        let made = fs::metadata(&theirs).and_then(|meta| meta.modified()).expect("a time");
        let old = made - STALE - Duration::from_secs(1);
        fs::File::open(&theirs).and_then(|dir| dir.set_modified(old)).expect("aged");
        drop(Locked::take(&file, &file, Vendor::Folder).expect("taken over"));
        assert!(!theirs.exists());
    }
}
