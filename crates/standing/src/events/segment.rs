//! Files of one log: the current one and the rotated ones, `.1` being the newest.
//!
//! Positions count bytes from the first line ever written, including rotated files. The first line of a file that
//! replaced another says how many bytes came before it. Without such a line, the file before it determines the
//! position.

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

/// Event in the first line of a file that replaced another.
pub(super) const ROTATED: &str = "log.rotated";

/// Maximum length of a first line. A real one is far shorter; a longer line is not a header.
const HEADER_LIMIT: u64 = 4096;

/// Size at which a file is rotated, and number of rotated files to keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max_bytes: u64,
    pub(super) keep: usize,
}

impl Limits {
    pub(super) const DEFAULT: Self = Self { max_bytes: 16 * 1024 * 1024, keep: 3 };
}

/// Returns the path of a log file: 0 is the current one.
pub(super) fn path_of(log: &Path, number: usize) -> PathBuf {
    if number == 0 { log.to_owned() } else { with_ending(log, &format!(".{number}")) }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut text: OsString = path.as_os_str().to_owned();
    text.push(ending);
    text.into()
}

/// Log file, open for reading.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) file: File,
    /// Position of its first byte.
    pub(super) base: u64,
    pub(super) len: u64,
}

impl Segment {
    pub(super) fn end(&self) -> u64 {
        self.base + self.len
    }
}

/// Opens every existing file of the log, the newest first.
pub(super) fn segments(log: &Path) -> io::Result<Vec<Segment>> {
    let mut found: Vec<(File, Option<u64>, u64)> = Vec::new();
    for number in 0.. {
        match open::plain(&path_of(log, number), Links::Refuse) {
            Ok(file) => {
                let (base, len) = (announced_base(&file), file.metadata()?.len());
                found.push((file, base, len));
            }
            // Right after a rotation the new log may not exist yet.
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

/// Reads the number of preceding bytes from the first line; `None` if the line is not a header or cannot be read.
fn announced_base(file: &File) -> Option<u64> {
    let mut line = String::new();
    BufReader::new(At { file, offset: 0 }.take(HEADER_LIMIT)).read_line(&mut line).ok()?;
    let value: Value = serde_json::from_str(&line).ok()?;
    (value["event"] == ROTATED).then(|| value["offset"].as_u64()).flatten()
}

/// Reader of a file at its own offset, independent of other readers.
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

/// Takes the lock beside the log: shared to append or read lines, exclusive to rename files. `None` if it could not be
/// taken in time, or at all: the caller may continue without it.
pub(super) fn hold(log: &Path, mode: Mode, wait: Duration) -> Option<Lock> {
    let path = with_ending(log, ".lock");
    // A caller with read permission only must still be able to lock.
    let file = LockFile::create(&path).or_else(|_| LockFile::existing(&path)).ok()?;
    file.lock(mode, wait).ok()
}
