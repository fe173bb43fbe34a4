//! Locks on files, held until dropped. The kernel drops a lock with its holder, however that ends.
//!
//! A lock is a `flock`. An exclusive one also puts a mark on the file, a record lock that excludes nothing, so that
//! others can see the lock without taking it.
//!
//! There is one way to wait. Callers of one process form a queue. The kernel wakes the first of them when a descriptor
//! of the file is closed, and that caller then tries. So there is no polling, a caller that times out leaves no thread
//! behind, and the order within a process is kept. Between processes a waiting caller leaves a mark as well, and a
//! newcomer that finds one lets it go first. A woken caller needs a moment, in which a newcomer that retries
//! immediately would win every time.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::{self, File, TryLockError},
    io,
    os::unix::{
        fs::{FileExt, MetadataExt},
        net::UnixListener,
    },
    path::Path,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use nix::{
    fcntl::{FcntlArg, fcntl},
    libc,
};

use crate::{
    is_unsupported,
    open::{self, Links},
    wait::Release,
};

/// Delay of a newcomer for callers that already wait.
const COURTESY: Duration = Duration::from_millis(6);

/// Byte that is marked while an exclusive lock is held.
const HELD: libc::off_t = 0;

/// Byte that is marked while a caller waits.
const AWAITED: libc::off_t = 1;

/// Kind of lock, by the other locks that it permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Other shared locks are permitted.
    Shared,
    /// No other lock is permitted.
    Exclusive,
}

/// Reason why a lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The holder did not release the lock in time.
    #[error("locked by another process")]
    Busy,
    /// The file system has no locks.
    #[error("this file system does not support locks ({0})")]
    Unsupported(#[source] io::Error),
    /// The kernel refused.
    #[error(transparent)]
    Failed(io::Error),
}

/// File or folder that can be locked.
#[derive(Debug)]
pub struct LockFile(File);

/// Lock, held until dropped.
#[derive(Debug)]
pub struct Lock(Kept);

#[derive(Debug)]
enum Kept {
    File(File),
    Name(#[expect(dead_code, reason = "held, not read")] UnixListener),
}

impl LockFile {
    /// Opens a private lock file, and creates it if it is missing. Its contents stay.
    pub fn create(path: &Path) -> io::Result<Self> {
        open::shared(path).map(Self)
    }

    /// Opens an existing lock file for reading: locking writes nothing.
    pub fn existing(path: &Path) -> io::Result<Self> {
        open::plain(path, Links::Refuse).map(Self)
    }

    /// Opens a folder, where a lock must leave no file behind.
    pub fn folder(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    /// True if the file belongs to this user.
    pub fn is_own(&self) -> bool {
        self.0.metadata().is_ok_and(|meta| meta.uid() == rustix::process::geteuid().as_raw())
    }

    /// True if a process of this program holds the lock exclusively. The check takes no lock.
    pub fn is_held(&self) -> bool {
        is_marked(&self.0, HELD)
    }

    /// True if any program holds it exclusively. Another program's lock is visible only by an attempt: a shared lock
    /// that is released at once, so that two checks do not see each other.
    pub fn is_held_by_any(&self) -> Result<bool, LockError> {
        if self.is_held() {
            return Ok(true);
        }
        let held = !attempt(&self.0, Mode::Shared)?;
        if !held {
            let _ = self.0.unlock();
        }
        Ok(held)
    }

    /// Takes the lock, and waits for its holder up to a time limit.
    pub fn lock(self, mode: Mode, limit: Duration) -> Result<Lock, LockError> {
        let deadline = Instant::now() + limit;
        let key = key_of(&self.0)?;
        if !lines().contains_key(&key) {
            if !limit.is_zero() && is_marked(&self.0, AWAITED) {
                thread::sleep(COURTESY.min(limit));
            }
            if attempt(&self.0, mode)? {
                return Ok(Lock::of(self.0, mode));
            }
        }
        let place = Place::behind_others(key);
        place.wait_for_turn(deadline)?;
        // Order matters: watch before trying, so that no release is missed.
        let release = Release::of(&self.0);
        mark(&self.0, AWAITED, true);
        while !attempt(&self.0, mode)? {
            if Instant::now() >= deadline {
                return Err(LockError::Busy);
            }
            release.wait(deadline);
        }
        mark(&self.0, AWAITED, false);
        Ok(Lock::of(self.0, mode))
    }

    /// Takes the lock if it is free.
    pub fn try_lock(self, mode: Mode) -> Result<Lock, LockError> {
        if attempt(&self.0, mode)? { Ok(Lock::of(self.0, mode)) } else { Err(LockError::Busy) }
    }

    /// Keeps the file open without a lock, where another lock decides.
    pub fn unlocked(self) -> Lock {
        Lock(Kept::File(self.0))
    }
}

impl Lock {
    fn of(file: File, mode: Mode) -> Self {
        if mode == Mode::Exclusive {
            mark(&file, HELD, true);
        }
        Self(Kept::File(file))
    }

    pub(crate) fn by_name(listener: UnixListener) -> Self {
        Self(Kept::Name(listener))
    }

    /// Replaces the contents of the lock file with a note about the holder, for people and programs.
    pub fn note(&self, text: &str) -> io::Result<()> {
        match &self.0 {
            Kept::File(file) => file.set_len(0).and_then(|()| file.write_all_at(text.as_bytes(), 0)),
            Kept::Name(_) => Ok(()),
        }
    }

    /// True if the lock file still has that name: a lock on a removed file excludes no other caller.
    pub fn is_at(&self, path: &Path) -> bool {
        let Kept::File(file) = &self.0 else { return true };
        let (Ok(held), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
        (held.dev(), held.ino()) == (named.dev(), named.ino())
    }
}

fn attempt(file: &File, mode: Mode) -> Result<bool, LockError> {
    let taken = match mode {
        Mode::Shared => file.try_lock_shared(),
        Mode::Exclusive => file.try_lock(),
    };
    match taken {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(TryLockError::Error(error)) if is_unsupported(&error) => Err(LockError::Unsupported(error)),
        Err(TryLockError::Error(error)) => Err(LockError::Failed(error)),
    }
}

/// Puts a mark on a byte of a file, or removes it. Without the mark other callers miss the lock; the holder is not
/// affected.
fn mark(file: &File, byte: libc::off_t, on: bool) {
    let kind = if on { libc::F_RDLCK } else { libc::F_UNLCK };
    let _ = fcntl(file, FcntlArg::F_OFD_SETLK(&record(kind, byte)));
}

/// True if another description of the file has a mark on a byte.
fn is_marked(file: &File, byte: libc::off_t) -> bool {
    // The query is for a write lock, which is not taken: every other lock conflicts with it.
    let mut asked = record(libc::F_WRLCK, byte);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut asked)).is_ok() && i32::from(asked.l_type) != libc::F_UNLCK
}

fn record(kind: libc::c_int, byte: libc::off_t) -> libc::flock {
    let short = |value: libc::c_int| libc::c_short::try_from(value).unwrap_or_default();
    libc::flock { l_type: short(kind), l_whence: short(libc::SEEK_SET), l_start: byte, l_len: 1, l_pid: 0 }
}

/// File by its device and number: a folder that was removed and created again has different ones.
type Key = (u64, u64);

fn key_of(file: &File) -> Result<Key, LockError> {
    file.metadata().map(|meta| (meta.dev(), meta.ino())).map_err(LockError::Failed)
}

/// Waiting callers of this process, by file, in their order.
static LINES: Mutex<BTreeMap<Key, VecDeque<u64>>> = Mutex::new(BTreeMap::new());

/// Signals that a queue moved.
static MOVED: Condvar = Condvar::new();

fn lines() -> MutexGuard<'static, BTreeMap<Key, VecDeque<u64>>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Place in the queue of a file, given up when dropped.
struct Place {
    key: Key,
    ticket: u64,
}

impl Place {
    fn behind_others(key: Key) -> Self {
        let mut lines = lines();
        let line = lines.entry(key).or_default();
        let ticket = line.back().map_or(0, |last| last + 1);
        line.push_back(ticket);
        Self { key, ticket }
    }

    /// Waits until every earlier caller has left the queue.
    fn wait_for_turn(&self, deadline: Instant) -> Result<(), LockError> {
        let mut lines = lines();
        while lines.get(&self.key).and_then(|line| line.front()) != Some(&self.ticket) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(LockError::Busy);
            }
            (lines, _) = MOVED.wait_timeout(lines, left).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lines = lines();
        if let Some(line) = lines.get_mut(&self.key) {
            line.retain(|ticket| *ticket != self.ticket);
            if line.is_empty() {
                lines.remove(&self.key);
            }
        }
        MOVED.notify_all();
    }
}

#[cfg(test)]
mod tests;
