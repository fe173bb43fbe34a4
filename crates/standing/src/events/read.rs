//! Reading the log from a position on, across rotations.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use files::lock::Mode;
use serde_json::Value;

use super::segment::{At, Segment, hold, segments};
use crate::blocking;

/// How long a reader waits for a rotation to be over; it reads all the same after that.
const READ_WAIT: Duration = Duration::from_millis(200);

/// How many bytes are read at once, unless one line has more.
const BITE: u64 = 256 * 1024;

/// Reads the event log.
///
/// A position is the number of bytes before a line, counted from the first line that was ever written, rotated files
/// included: it grows and is never given twice. A line's id is the position behind it, so that reading on from the
/// id of the last line that was seen misses none and repeats none.
#[derive(Clone, Debug)]
pub struct EventReader {
    path: PathBuf,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The position behind it.
    pub id: u64,
    /// One JSON object, as it was written, without its line end. A line that a full disk cut short is none.
    pub text: String,
}

impl LogLine {
    /// The event, unless the line was cut short.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.text).ok().filter(Value::is_object)
    }
}

/// Some lines, in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// None if there is nothing new.
    pub lines: Vec<LogLine>,
    /// Where to read on.
    pub next: u64,
    /// True if lines from the asked position on are not kept any more, or the log is not the one that position was
    /// of: what is there was read from its beginning.
    pub gap: bool,
}

impl EventReader {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The file that is written to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The position behind the last line: where to begin if only what comes is of interest.
    pub fn end(&self) -> io::Result<u64> {
        blocking::about_to("the event log is read");
        let _guard = hold(&self.path, Mode::Shared, READ_WAIT);
        Ok(segments(&self.path)?.first().map_or(0, Segment::end))
    }

    /// Some lines from a position on. A missing log has none.
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

/// The file that holds a position, or the next one that is kept; `None` at the very end.
fn find(segments: &[Segment], from: u64) -> Option<(usize, u64)> {
    let newest = segments.first()?;
    if from == newest.end() {
        return None;
    }
    // What comes after a position is in the oldest file that ends behind it.
    let number = segments.iter().rposition(|segment| segment.end() > from);
    match number {
        Some(number) => Some((number, from.max(segments[number].base))),
        None => (newest.len > 0).then_some((0, newest.base)),
    }
}

/// Whole lines of one file, at least one if there is one. The last line of a file that is not written to any more is
/// whole, whatever it ends with.
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
