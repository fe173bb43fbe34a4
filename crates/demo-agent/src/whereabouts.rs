//! Published id of this process's conversation: `sessions/<pid>-<start ticks>` beside the transcripts.

use std::{fs, io, path::PathBuf, process};

use uuid::Uuid;

use super::transcript;

/// File with the id; removed by an orderly end.
pub(super) struct Whereabouts {
    path: Option<PathBuf>,
    told: Option<Uuid>,
}

impl Whereabouts {
    /// Creates the file's handle for this process. If it cannot be written, no id is published.
    pub(super) fn new() -> Self {
        let path = || {
            let stat = fs::read_to_string("/proc/self/stat").ok()?;
            // Field 22; the command in field 2 may contain anything.
            let started = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?;
            Some(transcript::home().ok()?.join("sessions").join(format!("{}-{started}", process::id())))
        };
        Self { path: path(), told: None }
    }

    /// Publishes the id of a conversation.
    pub(super) fn tell(&mut self, id: Uuid) {
        if self.told == Some(id) {
            return;
        }
        self.told = Some(id);
        let write = |path: &PathBuf| -> io::Result<()> {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, id.to_string())
        };
        if self.path.as_ref().is_some_and(|path| write(path).is_err()) {
            self.path = None;
        }
    }

    /// Removes the file.
    pub(super) fn leave(&mut self) {
        if let Some(path) = self.path.take() {
            let _ = fs::remove_file(path);
        }
    }
}
