//! Reads the log from a position, across rotations.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use files::lock::Mode;
use serde_json::Value;

use super::segment::{At, Segment, hold, segments};
use crate::blocking;

/// Time that a reader waits for a rotation to finish; after that it reads anyway.
pub(super) const READ_WAIT: Duration = Duration::from_millis(200);

/// Bytes per read, unless one line is longer.
const BITE: u64 = 256 * 1024;

/// Reader of the event log.
///
/// A position is the number of bytes before a line, counted from the first line ever written, including rotated files.
/// Positions grow and are never reused. A line's id is the position after it. Reading from the id of the last line seen
/// therefore misses no line and repeats none.
#[derive(Clone, Debug)]
pub struct EventReader {
    pub(super) path: PathBuf,
}

/// Line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Position after the line.
    pub id: u64,
    /// One JSON object as written, without its line end. A line that a full disk cut short is not valid JSON.
    pub text: String,
}

impl LogLine {
    /// Parses the event; `None` if the line was cut short.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.text).ok().filter(Value::is_object)
    }
}

/// Lines in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Lines; empty if there is nothing new.
    pub lines: Vec<LogLine>,
    /// Position of the next read.
    pub next: u64,
    /// True if lines after the requested position are no longer kept, or the position belongs to another log. The batch
    /// then begins at the oldest later line that is kept, or at the start of the current file.
    pub gap: bool,
}

impl EventReader {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the current file of the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the position after the last line: the start for a reader of new lines only.
    pub fn end(&self) -> io::Result<u64> {
        blocking::about_to("the event log is read");
        let _guard = hold(&self.path, Mode::Shared, READ_WAIT);
        Ok(segments(&self.path)?.first().map_or(0, Segment::end))
    }

    /// Reads lines from a position. A missing log is empty.
    pub fn read(&self, from: u64) -> io::Result<Batch> {
        blocking::about_to("the event log is read");
        self.read_up_to(from, BITE)
    }

    pub(super) fn read_up_to(&self, from: u64, bite: u64) -> io::Result<Batch> {
        let _guard = hold(&self.path, Mode::Shared, READ_WAIT);
        let segments = segments(&self.path)?;
        let Some(newest) = segments.first() else {
            return Ok(Batch { lines: Vec::new(), next: 0, gap: from > 0 });
        };
        let Some((number, at)) = find(&segments, from) else {
            return Ok(Batch { lines: Vec::new(), next: newest.end(), gap: false });
        };
        let mut batch = bitten(&segments[number], at, bite, number == 0)?;
        batch.gap = at != from;
        Ok(batch)
    }
}

/// Finds the file that holds a position, or the next file that is kept; `None` at the very end.
fn find(segments: &[Segment], from: u64) -> Option<(usize, u64)> {
    let newest = segments.first()?;
    if from == newest.end() {
        return None;
    }
    // A position's successor is in the oldest file that ends after it.
    let number = segments.iter().rposition(|segment| segment.end() > from);
    match number {
        Some(number) => Some((number, from.max(segments[number].base))),
        None => (newest.len > 0).then_some((0, newest.base)),
    }
}

/// Reads whole lines of one file, at least one if there is one. The last line of a file that is no longer written to
/// counts as whole, whatever its ending.
fn bitten(segment: &Segment, at: u64, bite: u64, growing: bool) -> io::Result<Batch> {
    let offset = at - segment.base;
    let (mut bytes, mut limit) = (Vec::new(), bite);
    loop {
        bytes.clear();
        At { file: &segment.file, offset }.take(limit.min(segment.len - offset)).read_to_end(&mut bytes)?;
        let all = offset + bytes.len() as u64 >= segment.len;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map(|end| end + 1);
        let end = if all && !growing { Some(bytes.len()) } else { whole };
        match end {
            Some(end) => return Ok(lines(&bytes[..end], at)),
            None if all || bytes.is_empty() => return Ok(lines(&[], at)),
            None => limit = limit.saturating_mul(2),
        }
    }
}

fn lines(bytes: &[u8], at: u64) -> Batch {
    let mut batch = Batch { lines: Vec::new(), next: at, gap: false };
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        batch.next += line.len() as u64;
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
        if !text.trim().is_empty() {
            batch.lines.push(LogLine { id: batch.next, text: text.into_owned() });
        }
    }
    batch
}
