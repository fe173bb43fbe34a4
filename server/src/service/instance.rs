//! One service at a time: the lock on the PID file, and the details of its holder.
//!
//! The PID file contains only the PID, because other programs read it. The service never renames or removes it. A PID
//! in the file means nothing unless the lock is held.

use std::{
    fs, io,
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
use standing::state_folder;

pub(crate) use super::holder::{Details, LockHolder};
use super::presence::{self, Asked, Presence};

/// Timeout for taking the lock. Another program can check the lock only by taking it for a moment.
const PATIENCE: Duration = Duration::from_millis(300);

/// Time in which a lock that a killed service left to a child becomes free.
const INHERITED: Duration = Duration::from_secs(2);

/// Time in which a service that has just taken the lock writes its PID.
const PID_WAIT: Duration = Duration::from_millis(500);

const RETRY: Duration = Duration::from_millis(5);

/// Largest file of the service that is read, in bytes.
const MAX_FILE: usize = 64 * 1024;

/// The right to be the service of a state folder, held until dropped.
#[derive(Debug)]
pub(crate) struct Instance {
    _pid_file: Lock,
    presence: Option<Presence>,
    details: PathBuf,
}

/// Reason why a service may not run.
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
    /// Claims a state folder for this service, or returns the running one.
    pub(crate) fn claim(state_root: &Path) -> Result<Self, ClaimError> {
        let deadline = Instant::now() + INHERITED;
        loop {
            match Self::try_claim(state_root) {
                // A program that a killed service was just starting holds the name and the lock until it is executed.
                Err(ClaimError::AlreadyRunning(holder)) if is_gone(holder.pid) && Instant::now() < deadline => {
                    thread::sleep(RETRY);
                }
                result => return result,
            }
        }
    }

    fn try_claim(state_root: &Path) -> Result<Self, ClaimError> {
        state_folder::make(state_root)?;
        // The name is checked first: a folder that was recreated has another lock.
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

    /// Writes the details of the service. If that fails, it serves anyway.
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

/// True if a process has ended; false if its ID is not known.
fn is_gone(pid: u32) -> bool {
    if pid == 0 {
        return false;
    }
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state is the first field after the name, which may contain anything.
    stat.rsplit_once(") ").is_none_or(|(_, fields)| fields.starts_with(['Z', 'X']))
}

/// Takes the lock; `None` if another process holds it.
fn lock(path: &Path) -> io::Result<Option<Lock>> {
    folder::make_for(path)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match LockFile::create(path)?.lock(Mode::Exclusive, left) {
            // Another program removes the file as it ends: a lock on a removed file does not count.
            Ok(lock) if lock.is_at(path) => return Ok(Some(lock)),
            Ok(_) => {}
            Err(LockError::Busy) => return Ok(None),
            // On a file system without locks, the name in the kernel decides.
            Err(LockError::Unsupported(_)) => return LockFile::create(path).map(|file| Some(file.unlocked())),
            Err(LockError::Failed(error)) => return Err(error),
        }
    }
}

/// Returns the running service of a state folder, if any.
pub(crate) fn running(state_root: &Path) -> io::Result<Option<LockHolder>> {
    Ok(locked(state_root)?.or_else(|| presence::who(state_root)))
}

/// Returns the holder of the lock.
fn locked(state_root: &Path) -> io::Result<Option<LockHolder>> {
    let file = match LockFile::existing(&pid_file(state_root)) {
        Ok(file) => file,
        // Without a folder there is no service.
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
    // A killed service leaves its details behind.
    LockHolder { pid, details: details.filter(|details| details.is_of(pid)) }
}

fn text_of(path: &Path) -> Option<String> {
    read::text(path, Links::Follow, MAX_FILE).ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_a_process_that_has_ended_is_gone() {
        assert!(!is_gone(std::process::id()));
        assert!(!is_gone(0), "not known");
        let mut child = Command::new("sleep").arg("600").spawn().expect("a child");
        assert!(!is_gone(child.id()));
        child.kill().expect("ended");
        // Its exit status is not collected yet.
        while !is_gone(child.id()) {
            thread::sleep(RETRY);
        }
        child.wait().expect("gone");
        assert!(is_gone(child.id()));
    }
}
