//! Appends lines and rotates a full file.
//!
//! Invariants: one line is one write, so lines of several writers never mix. A line is appended only while the log is
//! locked against renames, so no line lands in a file after its rotation. A lock held for too long does not block
//! writers: the line is then appended without it.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::Path,
    time::Duration,
};

use files::{folder, lock::Mode, open, write::rename};

use super::segment::{Limits, hold, path_of, segments};

/// Time that a line waits for a rotation to finish.
const APPEND_WAIT: Duration = Duration::from_secs(1);

/// Time that a rotation waits for lines in progress. If it times out, the next line tries again.
const ROTATE_WAIT: Duration = Duration::from_millis(100);

/// Appends a line, including its line end. `header` builds the first line of a file from the number of bytes before it.
pub(super) fn append(path: &Path, line: &str, limits: Limits, header: impl Fn(u64) -> String) -> io::Result<()> {
    {
        let _guard = hold(path, Mode::Shared, APPEND_WAIT);
        if let Some(file) = open::append_existing(path)?
            && file.metadata()?.len().saturating_add(line.len() as u64) <= limits.max_bytes
        {
            return write(file, line);
        }
    }
    folder::make_for(path)?;
    make_room(path, line.len() as u64, limits, header)?;
    let _guard = hold(path, Mode::Shared, APPEND_WAIT);
    write(open::append(path)?, line)
}

/// Writes a line. After a line that a full disk or a crash cut short, it starts a new line first.
fn write(mut file: File, line: &str) -> io::Result<()> {
    let len = file.metadata()?.len();
    let mut last = [b'\n'];
    if len > 0 {
        file.read_at(&mut last, len - 1)?;
    }
    if last[0] == b'\n' { file.write_all(line.as_bytes()) } else { file.write_all(format!("\n{line}").as_bytes()) }
}

/// Rotates a full log, unless another writer just did, and begins the file that follows.
fn make_room(path: &Path, coming: u64, limits: Limits, header: impl Fn(u64) -> String) -> io::Result<()> {
    let Some(_guard) = hold(path, Mode::Exclusive, ROTATE_WAIT) else { return Ok(()) };
    match fs::metadata(path) {
        Ok(meta) if meta.len() == 0 || meta.len().saturating_add(coming) <= limits.max_bytes => return Ok(()),
        Ok(_) => shift(path, limits.keep)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let before = segments(path)?.first().map_or(0, super::segment::Segment::end);
    if before > 0 {
        open::append_new(path)?.write_all(header(before).as_bytes())?;
    }
    Ok(())
}

/// Renames `log` to `log.1`, `log.1` to `log.2`, and so on; removes files beyond `keep`.
fn shift(path: &Path, keep: usize) -> io::Result<()> {
    for number in (0..keep).rev() {
        match rename(&path_of(path, number), &path_of(path, number + 1)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    if keep == 0 { fs::remove_file(path) } else { Ok(()) }
}

/// Builds the first line of a file in a test.
#[cfg(test)]
pub(super) fn tests_header(before: u64) -> String {
    format!("{}\n", serde_json::json!({ "event": super::segment::ROTATED, "offset": before }))
}

#[cfg(test)]
mod tests {
    use std::{
        env,
        process::{Command, Stdio},
    };

    use serde_json::{Value, json};

    use super::{tests_header as header, *};
    use crate::events::{EventReader, segment::ROTATED};

    const WRITERS: usize = 6;
    const LINES: usize = 400;
    /// Limits so small that the writers rotate a hundred times, with enough files kept that nothing is dropped.
    const SMALL: Limits = Limits { max_bytes: 4096, keep: 1000 };

    fn line(writer: &str, number: usize) -> String {
        format!("{}\n", json!({ "event": "test", "writer": writer, "number": number, "pad": "x".repeat(number % 97) }))
    }

    /// Reads every line from a position, in small batches, and checks that ids grow.
    fn everything(reader: &EventReader, from: u64) -> (Vec<Value>, u64) {
        let (mut at, mut values) = (from, Vec::new());
        loop {
            let batch = reader.read_up_to(at, 700).expect("read");
            assert!(!batch.gap, "nothing was dropped");
            if batch.lines.is_empty() {
                return (values, batch.next);
            }
            for line in batch.lines {
                assert!(line.id > at, "{} after {at}", line.id);
                at = line.id;
                values.push(line.value().expect("a whole line"));
            }
            assert_eq!(at, batch.next);
        }
    }

    /// Writes the lines of one writer process: this test binary, run again with a log to write to.
    #[test]
    #[ignore = "a program that another test runs"]
    fn writer_process() {
        let path = env::var_os("LOOP_TEST_EVENT_LOG").expect("the test that runs it says which log");
        let writer = std::process::id().to_string();
        for number in 0..LINES {
            append(path.as_ref(), &line(&writer, number), SMALL, header).expect("appended");
        }
    }

    #[test]
    fn several_processes_lose_no_line_and_a_reader_follows_them_across_rotations() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("logs/events.jsonl");
        let test = "events::append::tests::writer_process";
        let writer = || {
            let mut command = Command::new(env::current_exe().expect("this test"));
            command.args(["--exact", "--ignored", test]).env("LOOP_TEST_EVENT_LOG", &path).stdout(Stdio::null());
            command.spawn().expect("spawned")
        };
        let mut writers: Vec<_> = (0..WRITERS).map(|_| writer()).collect();
        let names: Vec<String> = writers.iter().map(|writer| writer.id().to_string()).collect();
        let reader = EventReader::new(path.clone());
        let (mut seen, mut at) = (Vec::new(), 0);
        // Read while the writers run, and once more when the last one is done.
        let mut running = true;
        while running {
            running = writers.iter_mut().any(|writer| writer.try_wait().expect("asked").is_none());
            let (values, next) = everything(&reader, at);
            seen.extend(values);
            at = next;
        }
        for mut writer in writers {
            assert!(writer.wait().expect("ended").success());
        }
        let (told, written): (Vec<&Value>, Vec<&Value>) = seen.iter().partition(|value| value["event"] == ROTATED);
        assert!(told.len() > 5, "{} rotations", told.len());
        assert_eq!(written.len(), WRITERS * LINES);
        for name in &names {
            let numbers = written.iter().filter(|value| value["writer"] == **name).map(|value| &value["number"]);
            // Each writer's lines in its own order, each once.
            assert!(numbers.map(Value::as_u64).eq((0..LINES as u64).map(Some)), "writer {name}");
        }
        assert_eq!(everything(&reader, 0).0, seen, "read again from the first byte");
    }

    #[test]
    fn a_line_cut_short_does_not_take_the_next_one_along() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("events.jsonl");
        fs::write(&path, "{\"event\":\"whole\"}\n{\"event\":\"cut sh").expect("written");
        append(&path, &line("w", 1), SMALL, header).expect("appended");
        let batch = EventReader::new(path).read_up_to(0, 4096).expect("read");
        let events: Vec<_> = batch.lines.iter().map(|line| line.value().map(|value| value["event"].clone())).collect();
        assert_eq!(events, [Some(json!("whole")), None, Some(json!("test"))]);
    }

    #[test]
    fn only_so_many_are_kept_and_what_is_gone_is_told_of() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("events.jsonl");
        let limits = Limits { max_bytes: 300, keep: 2 };
        for number in 0..40 {
            append(&path, &line("w", number), limits, header).expect("appended");
        }
        let kept = [0, 1, 2, 3].map(|number| path_of(&path, number).exists());
        assert_eq!(kept, [true, true, true, false]);
        let reader = EventReader::new(path.clone());
        let batch = reader.read_up_to(0, 100_000).expect("read");
        assert!(batch.gap && batch.lines[0].value().expect("JSON")["offset"].as_u64() > Some(0), "{batch:?}");
        let end = reader.end().expect("asked");
        assert!(reader.read_up_to(end, 4096).expect("read").lines.is_empty());
        // A position that this log never had: another file replaced it.
        fs::remove_file(path_of(&path, 1)).expect("removed");
        fs::remove_file(path_of(&path, 2)).expect("removed");
        fs::write(&path, line("other", 1)).expect("written");
        let batch = reader.read_up_to(end, 4096).expect("read");
        assert!(batch.gap && batch.lines.len() == 1, "{batch:?}");
    }

    #[test]
    fn a_link_in_place_of_a_file_is_not_followed() {
        let dir = tempfile::tempdir().expect("made");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("victim"), "theirs\n").expect("written");
        std::os::unix::fs::symlink(at("victim"), at("events.jsonl")).expect("linked");
        let path = at("events.jsonl");
        append(&path, &line("w", 1), SMALL, header).expect_err("it is a link");
        assert!(EventReader::new(path.clone()).read_up_to(0, 4096).is_err(), "nor is it read through");
        // No file is created where a link of the lock points, and lines are written without a lock.
        fs::remove_file(&path).expect("removed");
        fs::remove_file(at("events.jsonl.lock")).expect("removed");
        std::os::unix::fs::symlink(at("made"), at("events.jsonl.lock")).expect("linked");
        append(&path, &line("w", 2), SMALL, header).expect("appended");
        assert!(!at("made").exists());
        assert_eq!(fs::read_to_string(at("victim")).expect("read"), "theirs\n");
        // A link among the folders is the operator's own.
        std::os::unix::fs::symlink(dir.path(), at("folder")).expect("linked");
        append(&at("folder/events.jsonl"), &line("w", 3), SMALL, header).expect("appended");
        assert_eq!(fs::read_to_string(&path).expect("read").lines().count(), 2);
    }

    #[test]
    fn a_log_that_is_held_for_too_long_is_written_to_all_the_same() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("events.jsonl");
        append(&path, &line("w", 1), SMALL, header).expect("appended");
        let _held = hold(&path, Mode::Exclusive, Duration::ZERO).expect("free");
        append(&path, &line("w", 2), SMALL, header).expect("appended");
        assert_eq!(fs::read_to_string(&path).expect("read").lines().count(), 2);
    }
}
