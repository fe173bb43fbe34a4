//! Notes of steps that failed on this machine, so that they are not retried at every run.
//!
//! `cargo xtask setup` deletes them.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project::Project;

/// Notes of one target folder, one per line.
#[derive(Debug)]
pub(crate) struct Notes {
    file: PathBuf,
    lines: Vec<String>,
}

impl Notes {
    /// Reads the notes; none if there is no file.
    pub(crate) fn open(project: &Project) -> Self {
        Self::at(project.target.join("xtask/did-not-work.txt"))
    }

    fn at(file: PathBuf) -> Self {
        let lines = std::fs::read_to_string(&file).unwrap_or_default().lines().map(str::to_owned).collect();
        Self { file, lines }
    }

    /// True if this step is noted as failed.
    pub(crate) fn has(&self, what: &str) -> bool {
        self.lines.iter().any(|line| line == what)
    }

    /// Notes that this step failed.
    pub(crate) fn add(&mut self, what: &str) -> Result<()> {
        if !self.has(what) {
            self.lines.push(what.to_owned());
            self.write()?;
        }
        Ok(())
    }

    /// Deletes all notes.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.lines.clear();
        if self.file.exists() { self.write() } else { Ok(()) }
    }

    fn write(&self) -> Result<()> {
        let mut text = self.lines.join("\n");
        text.push('\n');
        let folder = self.file.parent().context("a file in a folder")?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(&self.file, text).with_context(|| format!("could not write `{}`", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_work_is_remembered_until_it_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("deep/notes.txt");
        let mut notes = Notes::at(file.clone());
        assert!(!notes.has("rustup"));
        notes.add("rustup").expect("written");
        notes.add("rustup").expect("already there");
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), "rustup\n");
        let mut later = Notes::at(file.clone());
        assert!(later.has("rustup"));
        assert!(!later.has("rust"));
        later.clear().expect("cleared");
        assert!(!Notes::at(file).has("rustup"));
    }
}
