//! Transcript that is read on from a place, each line once.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::PathBuf,
};

use harness::{Follow, Progress};
use serde_json::Value;

/// Bytes of one read: a transcript may have hundreds of megabytes.
const BITE: u64 = 4 * 1024 * 1024;

/// Transcript of a conversation, and the place in it.
pub(super) struct Reading {
    pub(super) conversation: String,
    path: Option<PathBuf>,
    at: u64,
    /// Start of a line that is not complete yet.
    open_line: Vec<u8>,
    parser: Box<dyn Follow>,
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading").field("path", &self.path).field("at", &self.at).finish_non_exhaustive()
    }
}

impl Reading {
    pub(super) fn new(conversation: &str, path: Option<PathBuf>, from: u64, parser: Box<dyn Follow>) -> Self {
        // A transcript that was packed is unpacked before it is written to, and then read from its beginning.
        let packed = path.as_ref().is_some_and(|path| path.extension().is_some_and(|end| end == "zst"));
        let (path, at) = if packed { (None, 0) } else { (path, from) };
        Self { conversation: conversation.to_owned(), path, at, open_line: Vec::new(), parser }
    }

    pub(super) fn progress(&self) -> Progress {
        self.parser.progress()
    }

    /// Reads what was added, and returns true if something was. `find` finds the file of a conversation.
    pub(super) fn read_on(&mut self, find: impl Fn(&str) -> Option<PathBuf>) -> bool {
        if self.path.as_ref().is_none_or(|path| !path.exists()) {
            let Some(path) = find(&self.conversation).filter(|path| path.exists()) else { return false };
            if self.path.replace(path).is_some() {
                (self.at, self.open_line) = (0, Vec::new());
            }
        }
        let mut read = false;
        // If the file could not be read now, it is read next time.
        while let Some(bytes) = self.bite().ok().filter(|bytes| !bytes.is_empty()) {
            read = true;
            self.at += bytes.len() as u64;
            self.open_line.extend_from_slice(&bytes);
            let whole = self.open_line.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            for line in self.open_line[..whole].split(|&byte| byte == b'\n') {
                if let Ok(entry) = serde_json::from_slice::<Value>(line) {
                    self.parser.take(&entry);
                }
            }
            self.open_line.drain(..whole);
        }
        read
    }

    fn bite(&self) -> io::Result<Vec<u8>> {
        let Some(path) = &self.path else { return Ok(Vec::new()) };
        if fs::metadata(path)?.len() <= self.at {
            return Ok(Vec::new());
        }
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = Vec::new();
        file.take(BITE).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
