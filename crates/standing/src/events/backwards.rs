//! Reads the log from its end backwards, across rotations, in bounded reads.

use std::io::{self, Read};

use files::lock::Mode;

use super::{
    EventReader,
    read::{LogLine, READ_WAIT},
    segment::{At, Segment, hold, segments},
};
use crate::blocking;

/// Lines before a position, newest first.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// Lines, each with the position of its first byte.
    pub(crate) lines: Vec<(u64, LogLine)>,
    /// Position before which the next read continues.
    pub(crate) next: u64,
    /// True if no earlier line is kept.
    pub(crate) end: bool,
}

impl EventReader {
    /// Reads about `bite` bytes of lines that end at a position or before it: at least one line if there is one. A line
    /// that is still being written is left out.
    pub(crate) fn before(&self, position: u64, bite: u64) -> io::Result<Earlier> {
        blocking::about_to("the event log is read");
        let _guard = hold(&self.path, Mode::Shared, READ_WAIT);
        let segments = segments(&self.path)?;
        // The newest file that begins before the position. The position may be beyond the end of the log, if the log was
        // replaced.
        let Some(number) = segments.iter().position(|segment| segment.base < position && segment.len > 0) else {
            return Ok(Earlier { next: 0, end: true, lines: Vec::new() });
        };
        let segment = &segments[number];
        let end = position.min(segment.end());
        // The last line of a file that is no longer written to counts as whole, whatever its ending.
        let growing = number == 0 && end == segment.end();
        let (from, bytes) = bitten(segment, end - segment.base, bite.max(1))?;
        let next = segment.base + from;
        let oldest = segments[number + 1..].iter().all(|older| older.len == 0);
        Ok(Earlier { lines: lines(&bytes, next, growing), next, end: oldest && from == 0 })
    }
}

/// Reads the bytes before an offset, from the start of a line, and returns that start.
fn bitten(segment: &Segment, end: u64, bite: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut length = bite;
    loop {
        let from = end.saturating_sub(length);
        // One byte more tells if a line begins at `from`.
        let (at, before) = if from == 0 { (0, 0) } else { (from - 1, 1) };
        let mut bytes = Vec::new();
        At { file: &segment.file, offset: at }.take(end - at).read_to_end(&mut bytes)?;
        if before == 0 {
            return Ok((0, bytes));
        }
        // The line end of the last line is not the start of another one.
        let inside = bytes.len().saturating_sub(1);
        match bytes[..inside].iter().position(|&byte| byte == b'\n') {
            Some(cut) => {
                let bytes = bytes.split_off(cut + 1);
                return Ok((at + cut as u64 + 1, bytes));
            }
            None => length = length.saturating_mul(2),
        }
    }
}

/// Splits bytes that begin at a position into lines, newest first.
fn lines(bytes: &[u8], from: u64, growing: bool) -> Vec<(u64, LogLine)> {
    let mut at = from;
    let mut lines = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let start = at;
        at += line.len() as u64;
        let whole = line.strip_suffix(b"\n");
        let text = String::from_utf8_lossy(whole.unwrap_or(line));
        if !text.trim().is_empty() && (whole.is_some() || !growing) {
            lines.push((start, LogLine { id: at, text: text.into_owned() }));
        }
    }
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::events::append::{append, tests_header};
    use crate::events::segment::Limits;

    /// Reads everything backwards, and returns the numbers of the lines in the order of the log.
    fn backwards(path: &Path, bite: u64) -> Vec<u64> {
        let reader = EventReader::new(path.to_owned());
        let (mut at, mut numbers) = (reader.end().expect("asked"), Vec::new());
        loop {
            let earlier = reader.before(at, bite).expect("read");
            for (start, line) in &earlier.lines {
                assert!(*start < line.id && line.id <= at, "{start}..{} before {at}", line.id);
                numbers.extend(line.value().and_then(|value| value["number"].as_u64()));
            }
            if earlier.end {
                numbers.reverse();
                return numbers;
            }
            assert!(earlier.next < at, "it moves on");
            at = earlier.next;
        }
    }

    #[test]
    fn every_line_is_read_once_across_rotations_with_bites_of_any_size() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("events.jsonl");
        let limits = Limits { max_bytes: 400, keep: 100 };
        for number in 0..60 {
            let pad = "ü".repeat(number % 13);
            append(&path, &format!("{{\"number\":{number},\"pad\":\"{pad}\"}}\n"), limits, tests_header)
                .expect("appended");
        }
        assert!(dir.path().join("events.jsonl.3").exists(), "it was rotated");
        for bite in [1, 2, 30, 31, 200, 400, 100_000] {
            assert_eq!(backwards(&path, bite), (0..60).collect::<Vec<_>>(), "bites of {bite} bytes");
        }
    }

    #[test]
    fn a_line_being_written_is_left_out_and_a_missing_log_is_empty() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("events.jsonl");
        assert!(backwards(&path, 100).is_empty());
        fs::write(&path, "{\"number\":1}\n\n{\"number\":2}").expect("written");
        assert_eq!(backwards(&path, 100), [1]);
        // A position beyond the end, of a log that was replaced.
        let earlier = EventReader::new(path.clone()).before(1_000_000, 100).expect("read");
        assert_eq!((earlier.lines.len(), earlier.end), (1, true));
        fs::rename(&path, dir.path().join("events.jsonl.1")).expect("moved");
        append(&path, "{\"number\":3}\n", Limits::DEFAULT, tests_header).expect("appended");
        assert_eq!(backwards(&path, 100), [1, 2, 3], "nothing is added to a rotated file");
    }
}
