//! One verb at a time on one session, across threads and processes.
//!
//! A lock is a `flock` on a file beside the records, which is never renamed or removed: the kernel drops it with its
//! holder, however that ends.
//!
//! Who has to wait is woken by the kernel, one at a time and in turn. Nobody looks again and again: a hundred and fifty
//! who did so every 3 ms kept a machine of two cores from ever ending the write that they all waited for. But who is
//! woken needs a moment, in which a caller who asks again at once would win every time. Hence whoever waits says so by a
//! shared lock on a second file, and a newcomer who sees it lets the others go first.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
            net::{SocketAddr, UnixListener, UnixStream},
        },
    },
    path::Path,
    thread,
    time::{Duration, Instant},
};

use wire::SessionName;

use super::{Registry, is_unsupported, storage, waiting};
use crate::{Error, notices, state_folder};

/// The folder of locks, beside the records.
const LOCKS: &str = ".locks";

/// How long a newcomer leaves to those who wait.
const COURTESY: Duration = Duration::from_millis(6);

/// A session held by a verb until this is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    _lock: Lock,
}

/// What the kernel drops with its holder.
#[derive(Debug)]
enum Lock {
    File(#[expect(dead_code, reason = "held, not read")] File),
    /// Where the file system has no locks.
    Name(#[expect(dead_code, reason = "held, not read")] UnixListener),
}

/// How long a verb waits for another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockWait(pub(crate) Duration);

impl Registry {
    /// Holds a session for a verb, or says who has held it for too long.
    pub(crate) fn hold(&self, name: &SessionName, verb: &str, wait: LockWait) -> Result<Hold, Error> {
        state_folder::make(&self.root)?;
        let dir = self.dir.join(LOCKS);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&dir)
            .map_err(storage(&dir, "the folder of locks cannot be made"))?;
        let path = dir.join(format!("{name}.lock"));
        let file = open(&path).map_err(storage(&path, "the lock cannot be opened"))?;
        let queue = open(&dir.join(format!("{name}.waiting"))).ok();
        if queue.as_ref().is_some_and(somebody_waits) {
            thread::sleep(COURTESY);
        }
        self.take(file, name, Some(verb), wait, queue.as_ref())
    }

    /// Holds a session for a look that found something to write down, unless a verb holds it.
    pub(crate) fn try_hold(&self, name: &SessionName) -> Option<Hold> {
        let file = File::open(self.dir.join(LOCKS).join(format!("{name}.lock"))).ok()?;
        // Another user's state is only looked at.
        let own = file.metadata().is_ok_and(|meta| meta.uid() == rustix::process::geteuid().as_raw());
        (own && file.try_lock().is_ok()).then_some(Hold { _lock: Lock::File(file) })
    }

    /// Whether a verb is at work on a session. Shared, so that callers who ask at the same time do not take each other
    /// for a verb; a verb that comes at this very moment waits for as long as the question takes.
    pub(crate) fn is_held(&self, name: &SessionName) -> bool {
        let Ok(file) = File::open(self.dir.join(LOCKS).join(format!("{name}.lock"))) else { return false };
        match file.try_lock_shared() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => {
                self.lock_name(name).is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
            }
        }
    }

    /// The same for `stop`, which must work where nothing can be written: then the folder itself is held.
    pub(crate) fn hold_without_writing(&self, name: &SessionName, wait: LockWait) -> Result<Option<Hold>, Error> {
        match File::open(&self.dir) {
            Ok(dir) => self.take(dir, name, None, wait, None).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(storage(&self.dir, "the state folder cannot be opened")(error)),
        }
    }

    fn take(
        &self,
        mut file: File,
        name: &SessionName,
        verb: Option<&str>,
        wait: LockWait,
        queue: Option<&File>,
    ) -> Result<Hold, Error> {
        let failed = storage(&self.dir, "the lock cannot be taken");
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) if is_unsupported(&error) => return self.take_by_name(name, wait, &error),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => {
                if let Some(queue) = queue {
                    // A newcomer holds it for as long as it takes to look; one that was stopped at that moment must not
                    // hold this up. A lost turn is all that a failure costs.
                    let _ = queue.try_lock_shared();
                }
                file = match waiting::wait_for(file, wait.0) {
                    Ok(Some(file)) => file,
                    Ok(None) => {
                        let (holder, waited_seconds) = (self.holder(name), wait.0.as_secs());
                        return Err(Error::Busy { name: name.clone(), holder, waited_seconds });
                    }
                    Err(error) => return Err(failed(error)),
                };
            }
        }
        if let Some(verb) = verb {
            // Who holds it is for people; a full disk must not keep a verb from working.
            let _ = file.set_len(0).and_then(|()| write!(file, "{verb}, pid {}", std::process::id()));
        }
        Ok(Hold { _lock: Lock::File(file) })
    }

    /// Holds a session by a name in the kernel, for a file system that has no locks. It excludes whoever is on this
    /// machine and in this network namespace.
    fn take_by_name(&self, name: &SessionName, wait: LockWait, why: &io::Error) -> Result<Hold, Error> {
        notices::tell(format!(
            "{}: this file system has no locks ({why}): verbs exclude each other on this machine alone; do not use \
             this state folder from two machines at once",
            self.dir.display()
        ));
        let failed = |error| storage(&self.dir, "the lock cannot be taken")(error);
        let address = self.lock_name(name).map_err(failed)?;
        let deadline = Instant::now() + wait.0;
        loop {
            match UnixListener::bind_addr(&address) {
                Ok(listener) => return Ok(Hold { _lock: Lock::Name(listener) }),
                Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Err(failed(error)),
                Err(_) if Instant::now() >= deadline => {
                    let holder = "holder unknown".to_owned();
                    return Err(Error::Busy { name: name.clone(), holder, waited_seconds: wait.0.as_secs() });
                }
                Err(_) => thread::sleep(COURTESY),
            }
        }
    }

    fn lock_name(&self, name: &SessionName) -> io::Result<SocketAddr> {
        let (user, folder) = (rustix::process::geteuid().as_raw(), state_folder::mark(&self.root));
        SocketAddr::from_abstract_name(format!("the-loop/lock/{user}/{folder}/{name}"))
    }

    fn holder(&self, name: &SessionName) -> String {
        let path = self.dir.join(LOCKS).join(format!("{name}.lock"));
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.is_empty() { "holder unknown".to_owned() } else { text.chars().filter(|c| !c.is_control()).collect() }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

fn somebody_waits(queue: &File) -> bool {
    match queue.try_lock() {
        Ok(()) => {
            let _ = queue.unlock();
            false
        }
        Err(error) => matches!(error, TryLockError::WouldBlock),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_who_ask_at_once_do_not_take_each_other_for_a_verb() {
        let root = tempfile::tempdir().expect("a folder");
        let registry = Registry::new(root.path());
        let name = SessionName::parse("ops").expect("a name");
        drop(registry.hold(&name, "start", LockWait(Duration::ZERO)).expect("free"));
        let path = registry.dir.join(LOCKS).join("ops.lock");
        // What another caller holds while it asks.
        let asking = File::open(&path).expect("opened");
        asking.lock_shared().expect("shared");
        assert!(!registry.is_held(&name), "a question is not a verb");
        drop(asking);
        let hold = registry.hold(&name, "start", LockWait(Duration::ZERO)).expect("free");
        assert!(registry.is_held(&name));
        drop(hold);
        assert!(!registry.is_held(&name));
    }

    #[test]
    fn a_verb_that_comes_while_somebody_asks_waits_for_the_answer() {
        let root = tempfile::tempdir().expect("a folder");
        let registry = Registry::new(root.path());
        let name = SessionName::parse("ops").expect("a name");
        drop(registry.hold(&name, "start", LockWait(Duration::ZERO)).expect("free"));
        let asking = File::open(registry.dir.join(LOCKS).join("ops.lock")).expect("opened");
        asking.lock_shared().expect("shared");
        thread::scope(|threads| {
            let verb = threads.spawn(|| registry.hold(&name, "say", LockWait(Duration::from_mins(1))).is_ok());
            while !waiting::is_awaited(&asking) && !verb.is_finished() {
                thread::yield_now();
            }
            drop(asking);
            assert!(verb.join().expect("no panic"), "it got its turn");
        });
    }
}
