//! One service at a time: the lock on the pid file, and what is known of whoever holds it.
//!
//! The pid file holds the pid and nothing else, as other programs read it. It is never renamed or removed by us, and
//! a pid in it means nothing unless the lock is held.

use std::{
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use files::{
    folder,
    lock::{Lock, LockError, LockFile, Mode},
    open::Links,
    read,
    write::{self, Durability},
};
use serde::{Deserialize, Serialize};
use standing::state_folder;

use super::presence::{self, Asked, Presence};

/// The time to wait for a lock that is only looked at: another program's can be seen in an attempt alone.
const PATIENCE: Duration = Duration::from_millis(300);

/// The time in which a service that has just taken the lock writes its pid.
const PID_WAIT: Duration = Duration::from_millis(500);

const RETRY: Duration = Duration::from_millis(5);

/// The largest file of the service that is read, in bytes.
const MAX_FILE: usize = 64 * 1024;

/// The right to be the service of a state folder, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Instance {
    _pid_file: Lock,
    presence: Option<Presence>,
    details: PathBuf,
}

/// What a service says of itself besides its pid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    pid: u32,
    /// `http://host:port/…`, the page's address.
    pub(crate) address: String,
    pub(crate) version: String,
    pub(crate) started_at: String,
}

impl Details {
    pub(super) fn of_this_process(address: &str) -> Self {
        Self {
            pid: std::process::id(),
            address: address.to_owned(),
            version: crate::VERSION.to_owned(),
            started_at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }

    pub(super) fn is_of(&self, pid: u32) -> bool {
        self.pid == pid
    }
}

/// Whoever holds the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockHolder {
    /// 0 if it has not said so.
    pub(crate) pid: u32,
    /// `None` if it has not got that far, or is another program.
    pub(crate) details: Option<Details>,
}

/// Why a service may not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClaimError {
    #[error("already running (pid {}){}", .0.pid, at(.0))]
    AlreadyRunning(LockHolder),
    #[error(transparent)]
    Refused(#[from] standing::Error),
    #[error("{}: could not lock the service: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
}

fn at(holder: &LockHolder) -> String {
    holder.details.as_ref().map(|details| format!(" at {}", details.address)).unwrap_or_default()
}

fn pid_file(state_root: &Path) -> PathBuf {
    state_root.join("local/service.pid")
}

fn details_file(state_root: &Path) -> PathBuf {
    state_root.join("local/service.json")
}

impl Instance {
    /// Becomes the service of a state folder, or tells who is.
    pub(crate) fn claim(state_root: &Path) -> Result<Self, ClaimError> {
        state_folder::make(state_root)?;
        // The name first: a folder that was made again has a lock of its own.
        let presence = match presence::take(state_root) {
            Asked::Ours(presence) => Some(presence),
            Asked::Held(holder) => return Err(ClaimError::AlreadyRunning(holder)),
            Asked::Unavailable => None,
        };
        let path = pid_file(state_root);
        match lock(&path) {
            Ok(Some(file)) => {
                file.note(&format!("{}\n", std::process::id()))
                    .map_err(|source| ClaimError::Unusable { path, source })?;
                Ok(Self { _pid_file: file, presence, details: details_file(state_root) })
            }
            Ok(None) => Err(ClaimError::AlreadyRunning(holder_of(state_root))),
            Err(source) => Err(ClaimError::Unusable { path, source }),
        }
    }

    /// Writes down where it is. That it cannot be written is no reason not to serve.
    pub(crate) fn announce(&self, address: &str) {
        let details = Details::of_this_process(address);
        if let Some(presence) = &self.presence {
            presence.tell(&details);
        }
        let text = serde_json::to_string_pretty(&details).unwrap_or_default() + "\n";
        if let Err(error) = write::replace(&self.details, text.as_bytes(), Durability::Crash) {
            tracing::warn!(path = %self.details.display(), %error, "could not record the address of the service");
        }
    }
}

/// Takes the lock; `None` if another process has it.
fn lock(path: &Path) -> io::Result<Option<Lock>> {
    folder::make_for(path)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match LockFile::create(path)?.lock(Mode::Exclusive, left) {
            // Another program removes the file as it ends: a lock on what has no name any more is none.
            Ok(lock) if lock.is_at(path) => return Ok(Some(lock)),
            Ok(_) => {}
            Err(LockError::Busy) => return Ok(None),
            // Where the file system has no locks, the name in the kernel decides.
            Err(LockError::Unsupported(_)) => return LockFile::create(path).map(|file| Some(file.unlocked())),
            Err(LockError::Failed(error)) => return Err(error),
        }
    }
}

/// Who is the service of a state folder, if anybody is.
pub(crate) fn running(state_root: &Path) -> io::Result<Option<LockHolder>> {
    Ok(locked(state_root)?.or_else(|| presence::who(state_root)))
}

/// Who holds the lock.
fn locked(state_root: &Path) -> io::Result<Option<LockHolder>> {
    let file = match LockFile::existing(&pid_file(state_root)) {
        Ok(file) => file,
        // Where no folder can be, no service is.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    match file.is_held_by_any() {
        Ok(held) => Ok(held.then(|| holder_of(state_root))),
        Err(LockError::Failed(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

fn holder_of(state_root: &Path) -> LockHolder {
    let deadline = Instant::now() + PID_WAIT;
    let pid = loop {
        let pid = text_of(&pid_file(state_root)).and_then(|text| text.trim().parse().ok());
        match pid {
            Some(pid) => break pid,
            None if Instant::now() >= deadline => break 0,
            None => thread::sleep(RETRY),
        }
    };
    let details = text_of(&details_file(state_root)).and_then(|text| serde_json::from_str::<Details>(&text).ok());
    // One that was killed left its own behind.
    LockHolder { pid, details: details.filter(|details| details.pid == pid) }
}

fn text_of(path: &Path) -> Option<String> {
    read::text(path, Links::Follow, MAX_FILE).ok()
}
