//! Evidence that a message was taken: it stands in the harness's own transcript, after where that ended before.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use serde_json::Value;

/// A watch on a transcript, begun before the message is pasted.
#[derive(Debug)]
pub(super) struct Watch {
    transcript: Option<PathBuf>,
    from: u64,
    message: String,
}

impl Watch {
    pub(super) fn begin(transcript: Option<PathBuf>, message: &str) -> Self {
        let from = transcript.as_ref().and_then(|path| fs::metadata(path).ok()).map_or(0, |meta| meta.len());
        Self { transcript, from, message: message.to_owned() }
    }

    /// A watch as it was begun by a delivery that was cut short.
    pub(super) fn resumed(transcript: Option<PathBuf>, from: u64, message: &str) -> Self {
        Self { transcript, from, message: message.to_owned() }
    }

    /// The transcript, and how long it was when the watch was begun.
    pub(super) fn begun_at(&self) -> (Option<&Path>, u64) {
        (self.transcript.as_deref(), self.from)
    }

    /// Whether there is a transcript to look at.
    pub(super) fn has_transcript(&self) -> bool {
        self.transcript.is_some()
    }

    /// Whether it stands there now.
    pub(super) fn seen(&self) -> bool {
        let Some(path) = &self.transcript else { return false };
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(path)?;
            let len = file.metadata()?.len();
            if len <= self.from {
                return Ok(Vec::new());
            }
            file.seek(SeekFrom::Start(self.from))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let Ok(bytes) = read() else { return false };
        String::from_utf8_lossy(&bytes)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .any(|value| holds(&value, &self.message))
    }
}

/// Whether any string of a JSON value holds the message.
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
    use super::*;

    #[test]
    fn only_what_comes_after_counts() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("t.jsonl");
        fs::write(&path, "{\"text\":\"hello\\nyou\"}\n").expect("written");
        let watch = Watch::begin(Some(path.clone()), "hello\nyou");
        assert!(!watch.seen(), "it stood there before");
        let mut text = fs::read_to_string(&path).expect("read");
        text.push_str("{\"message\":{\"content\":[{\"text\":\"> hello\\nyou <\"}]}}\n");
        fs::write(&path, text).expect("written");
        assert!(watch.seen());
    }

    #[test]
    fn without_a_transcript_there_is_no_evidence() {
        assert!(!Watch::begin(None, "x").seen());
    }
}
