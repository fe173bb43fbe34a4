//! Session locks: one verb at a time on one session, across threads and processes.
//!
//! A lock is a file beside the records that is never renamed or removed. [`files::lock`] defines the waiting.

use std::{io, path::PathBuf, time::Duration};

use files::{
    folder,
    lock::{Lock, LockError, LockFile, Mode},
    name, read,
};
use wire::SessionName;

use super::Registry;
use crate::{Error, error::storage, notices, process::ProcessIdentity, state_folder};

/// Folder of locks, beside the records.
const LOCKS: &str = ".locks";

/// Maximum length of a lock holder's note that is shown.
const MAX_NOTE: usize = 4096;

/// Lock of a session for a verb, held until dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    lock: Lock,
    /// True if the lock file has a note about this holder.
    noted: bool,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.noted {
            // The next holder may be a program that writes no note, and must not be reported as this one.
            let _ = self.lock.note("");
        }
    }
}

/// Time that a verb waits for another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockWait(pub(crate) Duration);

impl Registry {
    /// Locks a session for a verb. If another verb holds it for too long, the error names that verb.
    pub(crate) fn hold(&self, name: &SessionName, verb: &str, wait: LockWait) -> Result<Hold, Error> {
        state_folder::make(&self.root)?;
        let dir = self.dir.join(LOCKS);
        folder::make(&dir).map_err(storage(&dir, "could not create the lock directory"))?;
        let path = self.lock_file(name);
        let file = LockFile::create(&path).map_err(storage(&path, "could not open the lock"))?;
        self.take(file, name, Some(verb), wait)
    }

    /// Locks a session for a reader that found something to record, unless a verb holds it.
    pub(crate) fn try_hold(&self, name: &SessionName) -> Option<Hold> {
        let file = LockFile::existing(&self.lock_file(name)).ok()?;
        // Another user's state is read only.
        let lock = file.is_own().then(|| file.try_lock(Mode::Exclusive))?.ok()?;
        Some(Hold { lock, noted: false })
    }

    /// True if a verb is working on a session. The check takes no lock.
    pub(crate) fn is_held(&self, name: &SessionName) -> bool {
        LockFile::existing(&self.lock_file(name))
            .is_ok_and(|file| file.is_held() || name::is_held(&self.lock_name(name)))
    }

    /// Locks a session for `stop`, which must work where nothing can be written: the folder itself is locked.
    pub(crate) fn hold_without_writing(&self, name: &SessionName, wait: LockWait) -> Result<Option<Hold>, Error> {
        match LockFile::folder(&self.dir) {
            Ok(dir) => self.take(dir, name, None, wait).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(storage(&self.dir, "could not open the state directory")(error)),
        }
    }

    fn take(&self, file: LockFile, name: &SessionName, verb: Option<&str>, wait: LockWait) -> Result<Hold, Error> {
        let taken = match file.lock(Mode::Exclusive, wait.0) {
            Err(LockError::Unsupported(why)) => {
                notices::tell(format!(
                    "{}: this file system does not support locks ({why}): commands exclude each other on this \
                     machine only, so do not use this state directory from two machines at once",
                    self.dir.display()
                ));
                name::lock(&self.lock_name(name), wait.0)
            }
            taken => taken,
        };
        let lock = taken.map_err(|error| match error {
            LockError::Busy => {
                Error::Busy { name: name.clone(), holder: self.holder(name), waited_seconds: wait.0.as_secs() }
            }
            LockError::Unsupported(error) | LockError::Failed(error) => {
                storage(&self.dir, "could not take the lock")(error)
            }
        })?;
        // The note is for people; a full disk must not block a verb.
        let noted = verb.is_some_and(|verb| lock.note(&note(verb)).is_ok());
        Ok(Hold { lock, noted })
    }

    fn lock_file(&self, name: &SessionName) -> PathBuf {
        self.dir.join(LOCKS).join(format!("{name}.lock"))
    }

    fn lock_name(&self, name: &SessionName) -> String {
        let (user, folder) = (rustix::process::geteuid().as_raw(), state_folder::mark(&self.root));
        format!("the-loop/lock/{user}/{folder}/{name}")
    }

    /// Names the holder of a lock, if the note is of a living process and a command of the-loop holds the lock. Another
    /// program leaves an earlier note as it is.
    fn holder(&self, name: &SessionName) -> String {
        let path = self.lock_file(name);
        let text = read::text_if_there(&path, MAX_NOTE).ok().flatten().unwrap_or_default();
        let by_command = LockFile::existing(&path).is_ok_and(|file| file.is_held());
        match by_command.then(|| living(&text)).flatten() {
            Some(holder) => holder,
            None => "another program".to_owned(),
        }
    }
}

/// Returns the note about this process: a line for people, and its identity.
fn note(verb: &str) -> String {
    let pid = std::process::id();
    let identity = ProcessIdentity::of(pid).and_then(|process| serde_json::to_string(&process).ok());
    format!("{verb}, pid {pid}\n{}\n", identity.unwrap_or_default())
}

/// Returns the first line of a note, if the process that wrote it is alive.
fn living(note: &str) -> Option<String> {
    let (holder, identity) = note.split_once('\n')?;
    let process: ProcessIdentity = serde_json::from_str(identity).ok()?;
    process.is_alive().then(|| holder.chars().filter(|c| !c.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_verb_shows_while_it_holds_a_session_and_looking_is_not_a_verb() {
        let root = tempfile::tempdir().expect("a folder");
        let registry = Registry::new(root.path());
        let name = SessionName::parse("ops").expect("a name");
        assert!(!registry.is_held(&name));
        let hold = registry.hold(&name, "start", LockWait(Duration::ZERO)).expect("free");
        assert!(registry.is_held(&name));
        assert!(registry.try_hold(&name).is_none());
        let busy = registry.hold(&name, "say", LockWait(Duration::ZERO)).expect_err("it is held");
        let this = format!("start, pid {}", std::process::id());
        assert!(matches!(&busy, Error::Busy { holder, .. } if *holder == this), "{busy}");
        drop(hold);
        assert!(!registry.is_held(&name));
        assert!(registry.try_hold(&name).is_some());
    }

    /// Returns the holder that a refusal names.
    fn named(registry: &Registry, name: &SessionName) -> String {
        match registry.hold(name, "say", LockWait(Duration::ZERO)) {
            Err(Error::Busy { holder, .. }) => holder,
            other => panic!("not busy: {other:?}"),
        }
    }

    #[test]
    fn a_refusal_names_the_holder_only_if_it_lives_and_holds_the_lock() {
        let root = tempfile::tempdir().expect("a folder");
        let registry = Registry::new(root.path());
        let name = SessionName::parse("ops").expect("a name");
        drop(registry.hold(&name, "create", LockWait(Duration::ZERO)).expect("free"));
        let path = registry.lock_file(&name);
        assert_eq!(fs::read_to_string(&path).expect("there"), "", "the note goes with its holder");

        // A holder that was killed leaves its note, and its pid may be in use again.
        let me = ProcessIdentity::of(std::process::id()).expect("this process");
        let earlier = ProcessIdentity { start_ticks: me.start_ticks.wrapping_sub(1), ..me.clone() };
        let left = format!("create, pid {}\n{}\n", me.pid, serde_json::to_string(&earlier).expect("JSON"));
        let hold = registry.hold(&name, "start", LockWait(Duration::ZERO)).expect("free");
        fs::write(&path, &left).expect("written");
        assert_eq!(named(&registry, &name), "another program");
        fs::write(&path, note("start")).expect("written");
        assert_eq!(named(&registry, &name), format!("start, pid {}", me.pid));
        drop(hold);

        // Another program takes the lock without a note of its own.
        fs::write(&path, note("create")).expect("written");
        let theirs = fs::File::options().write(true).open(&path).expect("opened");
        theirs.lock().expect("free");
        assert_eq!(named(&registry, &name), "another program");
    }
}
