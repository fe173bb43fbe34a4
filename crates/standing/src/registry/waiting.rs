//! Waiting for a lock with a limit.
//!
//! The kernel knows no limit for a `flock`, so a thread waits for it. There is one such thread for a locked file,
//! however many callers wait in this process and however often they give up: it hands the lock to the callers in
//! their order, and ends when nobody waits and the lock is free. A holder that never lets go costs one thread.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::File,
    io,
    os::unix::fs::MetadataExt as _,
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::Duration,
};

/// A file by its device and number: a folder that was removed and made again has other ones.
type Key = (u64, u64);

/// Who waits, by what they wait for. A key stands here exactly as long as its thread runs.
static LINES: Mutex<BTreeMap<Key, Line>> = Mutex::new(BTreeMap::new());

/// What the thread needs beyond the system calls it makes.
const STACK: usize = 128 * 1024;

#[derive(Debug, Default)]
struct Line {
    tickets: u64,
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    /// Its own description of the file, to be locked on its behalf.
    file: File,
    turn: Sender<io::Result<File>>,
}

fn lines() -> MutexGuard<'static, BTreeMap<Key, Line>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a file is locked exclusively; `None` if it could not be had in time.
pub(super) fn wait_for(file: File, limit: Duration) -> io::Result<Option<File>> {
    let meta = file.metadata()?;
    let key = (meta.dev(), meta.ino());
    let (ticket, turn) = stand_in_line(key, file)?;
    match turn.recv_timeout(limit) {
        Ok(locked) => locked.map(Some),
        Err(RecvTimeoutError::Timeout) => {
            if let Some(line) = lines().get_mut(&key) {
                line.waiting.retain(|waiter| waiter.ticket != ticket);
            }
            // Order matters: out of the line first. What was handed over before that is taken.
            turn.try_recv().ok().transpose()
        }
        Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::Other.into()),
    }
}

/// Whether a caller of this process waits for that file.
#[cfg(test)]
pub(super) fn is_awaited(file: &File) -> bool {
    file.metadata().is_ok_and(|meta| lines().contains_key(&(meta.dev(), meta.ino())))
}

/// Joins the line of a file, and begins it where there is none.
fn stand_in_line(key: Key, file: File) -> io::Result<(u64, Receiver<io::Result<File>>)> {
    let mut lines = lines();
    let begins = !lines.contains_key(&key);
    let line = lines.entry(key).or_default();
    line.tickets += 1;
    let ticket = line.tickets;
    let (sender, turn) = mpsc::channel();
    if begins {
        let first = file.try_clone().and_then(|first| {
            thread::Builder::new().name("lock".to_owned()).stack_size(STACK).spawn(move || serve(key, first))
        });
        if let Err(error) = first {
            lines.remove(&key);
            return Err(error);
        }
    }
    if let Some(line) = lines.get_mut(&key) {
        line.waiting.push_back(Waiter { ticket, file, turn: sender });
    }
    Ok((ticket, turn))
}

/// Locks the file for one waiter after the other until nobody waits.
fn serve(key: Key, first: File) {
    let mut next = first;
    loop {
        let mut locked = lock(&next).map(|()| next);
        let mut lines = lines();
        let Some(line) = lines.get_mut(&key) else { return };
        while let Some(waiter) = line.waiting.pop_front() {
            match waiter.turn.send(locked) {
                Ok(()) => {
                    locked = Err(io::ErrorKind::Other.into());
                    break;
                }
                // It has given up at this very moment.
                Err(mpsc::SendError(back)) => locked = back,
            }
        }
        let another = line.waiting.front().and_then(|waiter| waiter.file.try_clone().ok());
        let Some(file) = another else {
            // Callers still in line hear that there is no thread; a lock that no caller wants is let go of here.
            lines.remove(&key);
            return;
        };
        next = file;
    }
}

fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::OpenOptions, path::Path};

    use super::*;

    fn open(path: &Path) -> File {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).expect("opened")
    }

    fn key_of(file: &File) -> Key {
        let meta = file.metadata().expect("looked at");
        (meta.dev(), meta.ino())
    }

    /// How many wait for a file; `None` if there is no thread for it.
    fn in_line(key: Key) -> Option<usize> {
        lines().get(&key).map(|line| line.waiting.len())
    }

    fn until(condition: impl Fn() -> bool) {
        while !condition() {
            thread::yield_now();
        }
    }

    #[test]
    fn callers_who_give_up_leave_one_thread_whatever_their_number_and_none_once_the_lock_is_free() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("l");
        let held = open(&path);
        held.lock().expect("held");
        let key = key_of(&held);
        for _ in 0..20 {
            assert!(wait_for(open(&path), Duration::from_millis(2)).expect("waited").is_none());
            assert_eq!(in_line(key), Some(0), "one thread, and nobody in line");
        }
        drop(held);
        until(|| in_line(key).is_none());
        open(&path).try_lock().expect("nobody kept it");
    }

    #[test]
    fn the_lock_goes_round_in_the_order_in_which_it_was_asked_for() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("l");
        let held = open(&path);
        held.lock().expect("held");
        let key = key_of(&held);
        let (sender, order) = mpsc::channel();
        thread::scope(|threads| {
            for number in 0..8_usize {
                let (sender, path) = (sender.clone(), &path);
                threads.spawn(move || {
                    let locked = wait_for(open(path), Duration::from_mins(1)).expect("waited").expect("its turn");
                    open(path).try_lock().expect_err("it is held");
                    sender.send(number).expect("told");
                    drop(locked);
                });
                until(|| in_line(key) == Some(number + 1));
            }
            drop(held);
        });
        drop(sender);
        assert_eq!(order.into_iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        until(|| in_line(key).is_none());
    }
}
