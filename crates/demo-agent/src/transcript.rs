//! Conversation on disk, one JSON object per line.
//!
//! Invariant: lines reach the file in the order of their events, including held ones. One exception: an ignored signal
//! is noted without writing the held lines.

use std::{
    env,
    ffi::OsString,
    fs::{DirBuilder, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Line of the transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// Kind of event.
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    /// Text of the event, if it has any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) text: String,
    /// Time, RFC 3339 in UTC.
    pub(super) at: String,
    /// Kind of failure, of a turn that failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) failure: String,
    /// Time at which the failure ends, in the same format; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) until: String,
    /// Id of a submitted turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// Turn that a reply or an interrupt belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<String>,
}

/// Kind of event that a line records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Submitted turn.
    User,
    /// Reply of the agent.
    Assistant,
    /// Escape or a first Ctrl-C, with or without work to cancel.
    Interrupt,
    /// Signal that was ignored on purpose.
    Signal,
    /// Turn that waits for the current one.
    Queued,
    /// Turn that failed.
    Failed,
}

impl Line {
    /// Creates a line with the current time.
    pub(super) fn now(kind: Kind, text: impl Into<String>) -> Self {
        let at = jiff::Timestamp::now().to_string();
        Self { kind, text: text.into(), at, failure: String::new(), until: String::new(), id: None, to: None }
    }

    /// Creates the line of a submitted turn.
    pub(super) fn turn(id: Uuid, text: impl Into<String>) -> Self {
        Self { id: Some(id.to_string()), ..Self::now(Kind::User, text) }
    }

    /// Returns the line with the turn that it belongs to.
    pub(super) fn to(self, turn: Uuid) -> Self {
        Self { to: Some(turn.to_string()), ..self }
    }
}

/// Transcript of one conversation.
pub(super) struct Transcript {
    path: PathBuf,
    file: Option<File>,
    held: Vec<Line>,
}

impl Transcript {
    /// Returns the transcript of a conversation in the current directory; reads and writes nothing.
    pub(super) fn of(id: Uuid) -> Result<Self, String> {
        let home = home()?;
        let cwd = env::current_dir().map_err(|error| format!("no current directory: {error}"))?;
        let path = home.join("projects").join(folder(&cwd)).join(format!("{id}.jsonl"));
        Ok(Self { path, file: None, held: Vec::new() })
    }

    /// True if the conversation ever received a message.
    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Reads all readable lines, oldest first. A line torn by a crash is left out.
    pub(super) fn read(&self) -> io::Result<Vec<Line>> {
        let mut bytes = Vec::new();
        File::open(&self.path)?.read_to_end(&mut bytes)?;
        Ok(bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Writes a line immediately, after the held ones.
    pub(super) fn write(&mut self, line: Line) -> io::Result<()> {
        self.held.push(line);
        self.flush()
    }

    /// Holds a line until the next [`Self::flush`].
    pub(super) fn hold(&mut self, line: Line) {
        self.held.push(line);
    }

    /// Writes a line immediately without the held ones.
    pub(super) fn note(&mut self, line: &Line) -> io::Result<()> {
        self.append(std::slice::from_ref(line))
    }

    /// Writes the held lines.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.append(&held).inspect_err(|_| self.held = held)
    }

    fn append(&mut self, lines: &[Line]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut bytes, line)?;
            bytes.push(b'\n');
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(open(&self.path)?),
        };
        file.write_all(&bytes)
    }
}

/// Returns the folder of all files.
pub(super) fn home() -> Result<PathBuf, String> {
    let set = |key: &str| env::var_os(key).filter(|value| !value.is_empty());
    match (set("THE_LOOP_DEMO_HOME"), set("HOME")) {
        (Some(home), _) => Ok(PathBuf::from(home)),
        (None, Some(home)) => Ok(PathBuf::from(home).join(".the-loop-demo")),
        (None, None) => Err("no place for transcripts: set HOME or THE_LOOP_DEMO_HOME".to_owned()),
    }
}

/// Opens the file for appending, at the start of a line.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

/// Returns the folder name for conversations held in `cwd`.
fn folder(cwd: &Path) -> OsString {
    cwd.to_string_lossy()
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() { char } else { '-' })
        .collect::<String>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(folder: &Path) -> Transcript {
        Transcript { path: folder.join("p/x.jsonl"), file: None, held: Vec::new() }
    }

    fn texts(transcript: &Transcript) -> Vec<String> {
        transcript.read().map(|lines| lines.into_iter().map(|line| line.text).collect()).unwrap_or_default()
    }

    #[test]
    fn held_lines_wait_and_keep_their_place() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut transcript = transcript(folder.path());
        transcript.hold(Line::now(Kind::Assistant, "a"));
        assert!(!transcript.exists());
        transcript.note(&Line::now(Kind::Signal, "s"))?;
        assert_eq!(texts(&transcript), ["s"]);
        transcript.write(Line::now(Kind::User, "u"))?;
        assert_eq!(texts(&transcript), ["s", "a", "u"]);
        Ok(())
    }

    #[test]
    fn a_torn_line_is_left_out_and_the_next_is_whole() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut first = transcript(folder.path());
        first.write(Line::now(Kind::User, "one"))?;
        first.file.as_mut().expect("open").write_all(b"{\"type\":\"user\",\"te")?;
        let mut second = transcript(folder.path());
        second.write(Line::now(Kind::User, "two"))?;
        assert_eq!(texts(&second), ["one", "two"]);
        Ok(())
    }

    #[test]
    fn folders_are_named_after_the_directory() {
        assert_eq!(folder(Path::new("/home/ü/my proj_1")), "-home---my-proj-1");
    }
}
