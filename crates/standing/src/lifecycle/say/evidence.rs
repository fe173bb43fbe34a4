//! Evidence that a message was accepted: the message is in the harness's own transcript, after the previous end.

use std::{
    cell::RefCell,
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use harness::{Harness, Place, Written};
use serde_json::Value;

/// Interval for looking for a transcript that does not exist yet: only the harness may know the name of its folder.
const LOOK_FOR_FILE: Duration = Duration::from_millis(100);

/// State of one message in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lifecycle) enum Found {
    /// Not there yet.
    Nothing,
    /// In the harness's queue.
    Queued,
    /// Removed from the queue without becoming a turn.
    TakenBack,
    /// Recorded as a turn.
    Turn,
}

/// Transcript of a conversation, at the place where its harness keeps it.
pub(in crate::lifecycle) struct Transcript<'a> {
    pub(in crate::lifecycle) harness: &'a dyn Harness,
    pub(in crate::lifecycle) place: Place<'a>,
    pub(in crate::lifecycle) conversation: String,
}

impl Transcript<'_> {
    fn path(&self) -> Option<PathBuf> {
        self.harness.transcript(&self.place, &self.conversation)
    }
}

/// Watch on a transcript, begun before the message is pasted. It reads each line once.
pub(in crate::lifecycle) struct Watch<'a> {
    of: Transcript<'a>,
    from: u64,
    message: String,
    read: RefCell<Progress>,
}

#[derive(Debug)]
struct Progress {
    path: Option<PathBuf>,
    looked_for: Option<Instant>,
    /// Number of bytes read.
    at: u64,
    /// Start of a line that is not complete yet.
    open_line: Vec<u8>,
    found: Found,
}

impl<'a> Watch<'a> {
    pub(in crate::lifecycle) fn begin(of: Transcript<'a>, message: &str) -> Self {
        let path = of.path();
        let from = match &path {
            // A transcript that is unpacked later contains all earlier messages, and is not evidence.
            Some(path) if is_packed(path) => u64::MAX,
            Some(path) => fs::metadata(path).map_or(0, |meta| meta.len()),
            None => 0,
        };
        Self::at(of, path, from, message)
    }

    /// Resumes the watch of a delivery that was interrupted or that ended without evidence.
    pub(in crate::lifecycle) fn resumed(
        of: Transcript<'a>,
        transcript: Option<PathBuf>,
        from: u64,
        message: &str,
    ) -> Self {
        Self::at(of, transcript, from, message)
    }

    fn at(of: Transcript<'a>, path: Option<PathBuf>, from: u64, message: &str) -> Self {
        let read = Progress { path, looked_for: None, at: from, open_line: Vec::new(), found: Found::Nothing };
        Self { of, from, message: message.to_owned(), read: RefCell::new(read) }
    }

    /// Returns the transcript, and its length when the watch began.
    pub(in crate::lifecycle) fn begun_at(&self) -> (Option<PathBuf>, u64) {
        (self.read.borrow().path.clone(), self.from)
    }

    /// True if the transcript exists.
    pub(in crate::lifecycle) fn has_transcript(&self) -> bool {
        self.read.borrow().path.is_some()
    }

    /// True if the message is now recorded as a turn.
    pub(in crate::lifecycle) fn seen(&self) -> bool {
        self.found() == Found::Turn
    }

    /// Returns the current state of the message.
    pub(in crate::lifecycle) fn found(&self) -> Found {
        let read = &mut *self.read.borrow_mut();
        if read.path.as_ref().is_none_or(|path| !path.exists()) {
            let lately = read.looked_for.is_some_and(|at| at.elapsed() < LOOK_FOR_FILE);
            if lately {
                return read.found;
            }
            read.looked_for = Some(Instant::now());
            if let Some(path) = self.of.path() {
                read.path = Some(path);
            }
        }
        let Some(path) = read.path.clone() else { return read.found };
        // If the file could not be read now, it is read next time.
        let Ok(bytes) = rest(&path, read.at) else { return read.found };
        if bytes.is_empty() {
            return read.found;
        }
        read.at += bytes.len() as u64;
        read.open_line.extend_from_slice(&bytes);
        let whole = read.open_line.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        for line in read.open_line[..whole].split(|&byte| byte == b'\n') {
            read.found = self.after(read.found, line);
        }
        read.open_line.drain(..whole);
        // The last line counts once it is complete JSON, with or without its line feed.
        if self.after(read.found, &read.open_line) == Found::Turn {
            read.found = Found::Turn;
        }
        read.found
    }

    /// Returns the state after one more line.
    fn after(&self, found: Found, line: &[u8]) -> Found {
        if found == Found::Turn || line.iter().all(u8::is_ascii_whitespace) {
            return found;
        }
        let Ok(entry) = serde_json::from_slice::<Value>(line) else { return found };
        let written = self.of.harness.written(&entry);
        if written == Written::TakenBack {
            // An entry without text applies to the whole queue.
            let named = entry.get("content").is_none() || holds(&entry, &self.message);
            return if found == Found::Queued && named { Found::TakenBack } else { found };
        }
        match written {
            Written::Turn if holds(&entry, &self.message) => Found::Turn,
            Written::Queued if holds(&entry, &self.message) => Found::Queued,
            _ => found,
        }
    }
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "zst")
}

fn rest(path: &Path, from: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() <= from {
        return Ok(Vec::new());
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// True if any string of a JSON value contains the message.
fn holds(value: &Value, message: &str) -> bool {
    match value {
        Value::String(text) => text.contains(message),
        Value::Array(values) => values.iter().any(|value| holds(value, message)),
        Value::Object(fields) => fields.values().any(|value| holds(value, message)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::Surroundings;

    /// Home directory with one transcript of Claude Code.
    struct Stage {
        here: Surroundings,
        home: tempfile::TempDir,
        adapter: harness::Adapter,
    }

    impl Stage {
        fn new() -> Self {
            let home = tempfile::tempdir().expect("made");
            let here = Surroundings::of_process().with_var("HOME", home.path()).without_var("CLAUDE_CONFIG_DIR");
            let adapter = harness::by_name("claude", &crate::config::Routing::default(), &here).expect("built in");
            Self { here, home, adapter }
        }

        fn of(&self) -> Transcript<'_> {
            let place = Place::of(&self.here, self.home.path());
            Transcript { harness: self.adapter.as_ref(), place, conversation: "c-1".to_owned() }
        }

        fn write(&self, folder: &str, text: &str) {
            let dir = self.home.path().join(".claude/projects").join(folder);
            fs::create_dir_all(&dir).expect("made");
            let file = fs::OpenOptions::new().create(true).append(true).open(dir.join("c-1.jsonl"));
            file.expect("opened").write_all(text.as_bytes()).expect("written");
        }
    }

    #[test]
    fn only_what_comes_after_counts() {
        let stage = Stage::new();
        stage.write("p", "{\"type\":\"user\",\"text\":\"hello\\nyou\"}\n");
        let watch = Watch::begin(stage.of(), "hello\nyou");
        assert!(!watch.seen(), "it stood there before");
        stage.write("p", "{\"type\":\"user\",\"message\":{\"content\":[{\"text\":\"> hello\\nyou <\"}]}}\n");
        assert!(watch.seen());
    }

    #[test]
    fn a_transcript_that_comes_later_under_a_name_nobody_could_know_is_found() {
        let stage = Stage::new();
        let watch = Watch::begin(stage.of(), "hello");
        assert!(!watch.seen());
        stage.write("a-name-with-a-hash-1x7k", "{\"type\":\"user\",\"text\":\"hello\"}");
        testkit_wait(|| watch.seen());
    }

    #[test]
    fn a_queued_message_is_no_turn_until_it_is_taken_up() {
        let stage = Stage::new();
        let watch = Watch::begin(stage.of(), "hello");
        let queue = |operation: &str, content: &str| {
            format!("{{\"type\":\"queue-operation\",\"operation\":\"{operation}\"{content}}}\n")
        };
        stage.write("p", &queue("enqueue", ",\"content\":\"hello\""));
        testkit_wait(|| watch.found() == Found::Queued);
        stage.write("p", &queue("remove", ",\"content\":\"another\""));
        assert_eq!(watch.found(), Found::Queued);
        stage.write("p", &queue("popAll", ""));
        assert_eq!(watch.found(), Found::TakenBack);
        stage.write("p", &queue("enqueue", ",\"content\":\"hello\""));
        stage.write("p", &queue("dequeue", ""));
        assert_eq!(watch.found(), Found::Queued, "a turn is one when it is written");
        stage.write("p", "{\"type\":\"last-prompt\",\"lastPrompt\":\"hello\"}\n");
        assert_eq!(watch.found(), Found::Queued);
        stage.write(
            "p",
            "{\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"hello\"}}\n",
        );
        assert_eq!(watch.found(), Found::Turn);
    }

    /// Waits longer than the interval in which the file is looked for.
    fn testkit_wait(mut fact: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !fact() {
            assert!(Instant::now() < deadline, "it never came");
            std::thread::sleep(LOOK_FOR_FILE / 4);
        }
    }
}
