//! Hooks: what a harness reports of itself while it runs, one line for each event, in a private file of its launch.
//!
//! `the-loop hook FILE LAUNCH HARNESS` is run by the harness. It appends a line and exits with 0 in every case: a hook
//! that fails can stop a harness or make it go on. It uses no network and reads no config.
//!
//! A line has the launch and the conversation, so that only the session's own run speaks for it. It has no text of the
//! conversation.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use ::config::Routing;
use files::{open, read};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Surroundings, clock};

/// Size of an event that is read, in bytes. The event contains the agent's last message.
const EVENT_LIMIT: u64 = 8 * 1024 * 1024;

/// Size at which a file is replaced by a new one, in bytes.
const FILE_LIMIT: u64 = 16 * 1024;

/// Number of lines that are read: more than the events of one turn. A list reads them for every session.
const READ: usize = 24;

/// Extension of the file that was replaced.
const FORMER: &str = "former";

/// Line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    #[serde(with = "as_text")]
    pub(crate) at: Timestamp,
    pub(crate) launch: String,
    pub(crate) conversation: String,
    /// Event as the adapter reduced it.
    pub(crate) event: Value,
}

/// Times as RFC 3339 texts.
mod as_text {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(at)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Runs the hidden `hook` subcommand.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    // A hook has nothing to say to its harness, and must not fail.
    let _ = note(&args, io::stdin().lock());
    ExitCode::SUCCESS
}

fn note(args: &[OsString], mut event: impl io::Read) -> Option<()> {
    let at = clock::timestamp();
    let [file, launch, harness] = args else { return None };
    let mut text = Vec::new();
    event.by_ref().take(EVENT_LIMIT).read_to_end(&mut text).ok()?;
    let event = serde_json::from_slice(&text).ok()?;
    let adapter = harness::by_name(harness.to_str()?, &Routing::default(), &Surroundings::of_process()).ok()?;
    let (conversation, event) = adapter.hook_event(&event)?;
    append(&PathBuf::from(file), &Line { at, launch: launch.to_str()?.to_owned(), conversation, event }).ok()
}

/// Appends a line with one write, so that hooks that run at the same time do not mix theirs. A missing folder means
/// that the session was deleted.
fn append(file: &Path, line: &Line) -> io::Result<()> {
    if fs::metadata(file).is_ok_and(|found| found.len() >= FILE_LIMIT) {
        files::write::rename(file, &file.with_extension(FORMER))?;
    }
    let text = format!("{}\n", serde_json::to_string(line).map_err(io::Error::other)?);
    open::append(file)?.write_all(text.as_bytes())
}

/// Reads the last lines of a launch, oldest first.
pub(crate) fn lines(file: &Path, launch: &str) -> Vec<Line> {
    let limit = usize::try_from(2 * FILE_LIMIT).unwrap_or(usize::MAX);
    let text = |file: &Path| read::text_if_there(file, limit).ok().flatten().unwrap_or_default();
    let mut text_now = text(file);
    if text_now.lines().count() < READ {
        text_now.insert_str(0, &text(&file.with_extension(FORMER)));
    }
    let last = text_now.lines().rev().take(READ).filter_map(|line| serde_json::from_str(line).ok());
    let mut lines: Vec<Line> = last.filter(|line: &Line| line.launch == launch).collect();
    lines.reverse();
    lines
}

/// Removes the files of a launch.
pub(crate) fn forget(dir: &Path, launch: &str) {
    if launch.is_empty() {
        return;
    }
    for path in [settings_file(dir, launch), lines_file(dir, launch), lines_file(dir, launch).with_extension(FORMER)] {
        let _ = fs::remove_file(path);
    }
}

/// Returns the file with the settings of a launch.
pub(crate) fn settings_file(dir: &Path, launch: &str) -> PathBuf {
    dir.join(format!("{launch}.json"))
}

/// Returns the file with the lines of a launch.
pub(crate) fn lines_file(dir: &Path, launch: &str) -> PathBuf {
    dir.join(format!("{launch}.jsonl"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn args(file: &Path, launch: &str) -> Vec<OsString> {
        vec![file.into(), launch.into(), "claude".into()]
    }

    fn stop(conversation: &str) -> Vec<u8> {
        format!(r#"{{"hook_event_name":"Stop","session_id":"{conversation}","last_assistant_message":"text"}}"#).into()
    }

    #[test]
    fn a_line_is_private_and_of_its_launch() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = lines_file(dir.path(), "l-1");
        note(&args(&file, "l-1"), stop("c-1").as_slice()).expect("noted");
        note(&args(&file, "l-2"), stop("c-2").as_slice()).expect("noted");
        let found = lines(&file, "l-1");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].conversation.as_str(), &found[0].event["hook_event_name"]), ("c-1", &"Stop".into()));
        let text = fs::read_to_string(&file).expect("there");
        assert!(!text.contains("\"text\""), "no text of the conversation: {text}");
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        forget(dir.path(), "l-1");
        assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 0);
    }

    #[test]
    fn what_is_no_event_is_left_out() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = lines_file(dir.path(), "l-1");
        for event in ["", "{", "[]", r#"{"hook_event_name":"Stop"}"#] {
            assert_eq!(note(&args(&file, "l-1"), event.as_bytes()), None, "{event}");
        }
        assert_eq!(note(&[], stop("c").as_slice()), None);
        let missing = args(&dir.path().join("gone/l.jsonl"), "l");
        assert_eq!(note(&missing, stop("c").as_slice()), None);
        assert!(!file.exists());
    }

    #[test]
    fn a_file_is_bounded_and_keeps_the_newest_lines() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = lines_file(dir.path(), "l-1");
        let long = "c".repeat(600);
        for _ in 0..200 {
            note(&args(&file, "l-1"), stop(&long).as_slice()).expect("noted");
        }
        note(&args(&file, "l-1"), stop("last").as_slice()).expect("noted");
        let size: u64 =
            fs::read_dir(dir.path()).expect("there").flatten().map(|e| e.metadata().expect("there").len()).sum();
        assert!(size < 2 * FILE_LIMIT + 4096, "{size}");
        let found = lines(&file, "l-1");
        assert!((10..=READ).contains(&found.len()), "{}", found.len());
        assert_eq!(found.last().map(|line| line.conversation.as_str()), Some("last"));
    }
}
