//! The files of one log: the one that is written to, and those that were rotated away, `.1` the newest of them.
//!
//! Positions count bytes from the first line that was ever written, rotated files included. The first line of a file
//! that took another's place says how many bytes went before it; without one, the file before it does.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::Duration,
};

use files::{
    lock::{Lock, LockFile, Mode},
    open::{self, Links},
};
use serde_json::Value;

/// The event that the first line of a file tells when it takes the place of another.
pub(super) const ROTATED: &str = "log.rotated";

/// A first line is far shorter; a longer one is none of ours.
const HEADER_LIMIT: u64 = 4096;

/// When a file makes room for another, and how many are kept besides the one that is written to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max_bytes: u64,
    pub(super) keep: usize,
}

impl Limits {
    pub(super) const DEFAULT: Self = Self { max_bytes: 16 * 1024 * 1024, keep: 3 };
}

/// The path of a file of the log: 0 for the one that is written to.
pub(super) fn path_of(log: &Path, number: usize) -> PathBuf {
    if number == 0 { log.to_owned() } else { with_ending(log, &format!(".{number}")) }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut text: OsString = path.as_os_str().to_owned();
    text.push(ending);
    text.into()
}

/// A file of the log, open for reading.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) file: File,
    /// The position of its first byte.
    pub(super) base: u64,
    pub(super) len: u64,
}

impl Segment {
    pub(super) fn end(&self) -> u64 {
        self.base + self.len
    }
}

/// Every file of the log that exists, the newest first.
pub(super) fn segments(log: &Path) -> io::Result<Vec<Segment>> {
    let mut found: Vec<(File, Option<u64>, u64)> = Vec::new();
    for number in 0.. {
        match open::plain(&path_of(log, number), Links::Refuse) {
            Ok(file) => {
                let (base, len) = (announced_base(&file), file.metadata()?.len());
                found.push((file, base, len));
            }
            // Right after a rotation the log may not have been written to again.
            Err(error) if error.kind() == io::ErrorKind::NotFound && number == 0 => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    let mut end_of_older = 0;
    let mut segments = Vec::with_capacity(found.len());
    for (file, announced, len) in found.into_iter().rev() {
        let base = announced.unwrap_or(end_of_older);
        end_of_older = base + len;
        segments.push(Segment { file, base, len });
    }
    segments.reverse();
    Ok(segments)
}

/// What the first line says of the bytes before it; `None` for a line that is not ours, or cannot be read.
fn announced_base(file: &File) -> Option<u64> {
    let mut line = String::new();
    BufReader::new(At { file, offset: 0 }.take(HEADER_LIMIT)).read_line(&mut line).ok()?;
    let value: Value = serde_json::from_str(&line).ok()?;
    (value["event"] == ROTATED).then(|| value["offset"].as_u64()).flatten()
}

/// A file read from an offset of its own, whoever else reads it.
pub(super) struct At<'a> {
    pub(super) file: &'a File,
    pub(super) offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Takes the lock beside the log: shared while lines are appended or read, exclusive while files change their names.
/// `None` if it cannot be had in time or at all: a caller may go on without it.
pub(super) fn hold(log: &Path, mode: Mode, wait: Duration) -> Option<Lock> {
    let path = with_ending(log, ".lock");
    // A caller who may only read must still be able to hold.
    let file = LockFile::create(&path).or_else(|_| LockFile::existing(&path)).ok()?;
    file.lock(mode, wait).ok()
}
