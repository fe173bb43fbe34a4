//! Folder that the server embeds. Only changed files are written, and other files are removed.
//!
//! The server is rebuilt whenever a file here is newer, so an unchanged file must keep its date.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::terminal;
use crate::wasm::precompress::{ENDINGS, squeeze};

/// Wanted files of the site, by path inside it.
#[derive(Debug, Default)]
pub(crate) struct Site {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Site {
    /// Adds one file.
    pub(crate) fn add(&mut self, path: PathBuf, bytes: Vec<u8>) {
        self.files.insert(path, bytes);
    }

    /// Adds a folder's files under their own names; nothing if the folder does not exist.
    pub(crate) fn add_folder(&mut self, folder: &Path) -> Result<()> {
        for path in files_below(folder)? {
            self.add(path.clone(), std::fs::read(folder.join(&path))?);
        }
        Ok(())
    }

    /// Makes the folder contain exactly these files, each with its compressed forms. Returns the number of changed
    /// files.
    pub(crate) fn write(&self, folder: &Path) -> Result<usize> {
        let mut wanted = BTreeSet::new();
        let mut changed = 0;
        for (path, bytes) in &self.files {
            let file = folder.join(path);
            wanted.insert(path.clone());
            let squeezed = ENDINGS.map(|ending| (ending, with_ending(path, ending)));
            if std::fs::read(&file).is_ok_and(|there| there == *bytes) {
                wanted.extend(squeezed.into_iter().map(|(_, path)| path));
                continue;
            }
            changed += 1;
            // Invariant: a plain file is written after its compressed forms, so that an interrupted run starts over.
            for (ending, path) in squeezed {
                if let Some(small) = squeeze(bytes, ending)? {
                    put(&folder.join(&path), &small)?;
                    wanted.insert(path);
                }
            }
            put(&file, bytes)?;
        }
        for path in files_below(folder)? {
            if !wanted.contains(&path) {
                changed += 1;
                std::fs::remove_file(folder.join(path))?;
            }
        }
        Ok(changed)
    }
}

/// Returns one line with the size of the files that a browser loads.
pub(crate) fn sizes(folder: &Path) -> Result<String> {
    let mut line = String::from("sizes (plain, brotli):");
    let mut sum = 0;
    for path in files_below(folder)? {
        let shown = ["wasm", "js", "css"].iter().any(|ending| path.extension().is_some_and(|have| have == *ending));
        if !shown {
            continue;
        }
        let plain = std::fs::metadata(folder.join(&path))?.len();
        let brotli = std::fs::metadata(folder.join(with_ending(&path, "br"))).map_or(plain, |meta| meta.len());
        // Loaded only on the page of a terminal.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !terminal::is_file(name) {
            sum += brotli;
        }
        write!(line, " {} {}, {};", path.display(), kilobytes(plain), kilobytes(brotli))?;
    }
    write!(line, " together {} without the terminal", kilobytes(sum))?;
    Ok(line)
}

/// Formats thousands of bytes for people.
#[expect(clippy::cast_precision_loss, reason = "a size to be read, far below the precision")]
fn kilobytes(bytes: u64) -> String {
    format!("{:.1} kB", bytes as f64 / 1000.0)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn put(file: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, bytes).with_context(|| format!("could not write `{}`", file.display()))
}

/// Returns every file below a folder, sorted, as paths inside it. Hidden files are not part of the site.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        let here = folder.join(&inside);
        if !here.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&here)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = inside.join(entry.file_name());
            if entry.path().is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(files: &[(&str, &str)]) -> Site {
        let mut site = Site::default();
        for (path, text) in files {
            site.add(path.into(), text.as_bytes().to_vec());
        }
        site
    }

    #[test]
    fn only_what_changed_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = "a { color: red }\n".repeat(40);
        let first = site(&[("pkg/a.css", &long), ("favicon.svg", "<svg/>")]);
        assert_eq!(first.write(folder.path()).expect("written"), 2);
        let stamp = |name: &str| folder.path().join(name).metadata().expect("a file").modified().expect("a date");
        let before = stamp("pkg/a.css.br");
        assert_eq!(first.write(folder.path()).expect("unchanged"), 0);
        assert_eq!(stamp("pkg/a.css.br"), before);

        let second = site(&[("pkg/a.css", &long), ("favicon.svg", "<svg></svg>")]);
        assert_eq!(second.write(folder.path()).expect("one changed"), 1);
        assert_eq!(std::fs::read(folder.path().join("favicon.svg")).expect("the file"), b"<svg></svg>");
    }

    #[test]
    fn what_is_no_longer_wanted_goes_with_its_squeezed_forms() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = "b { color: red }\n".repeat(40);
        site(&[("pkg/old.css", &long)]).write(folder.path()).expect("written");
        assert_eq!(files_below(folder.path()).expect("a listing").len(), 3);
        site(&[("pkg/new.css", "x")]).write(folder.path()).expect("written");
        assert_eq!(files_below(folder.path()).expect("a listing"), [PathBuf::from("pkg/new.css")]);
    }

    #[test]
    fn an_interrupted_write_is_done_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = "c { color: red }\n".repeat(40);
        let site = site(&[("pkg/c.css", &long)]);
        site.write(folder.path()).expect("written");
        std::fs::write(folder.path().join("pkg/c.css"), "half").expect("the fault");
        std::fs::write(folder.path().join("pkg/c.css.br"), "half").expect("the fault");
        assert_eq!(site.write(folder.path()).expect("written"), 1);
        assert_ne!(std::fs::read(folder.path().join("pkg/c.css.br")).expect("the file"), b"half");
    }

    #[test]
    fn a_file_that_shrank_loses_its_stale_squeezed_form() {
        let folder = tempfile::tempdir().expect("a folder");
        site(&[("a.txt", &"long ".repeat(100))]).write(folder.path()).expect("written");
        site(&[("a.txt", "short")]).write(folder.path()).expect("written");
        assert_eq!(files_below(folder.path()).expect("a listing"), [PathBuf::from("a.txt")]);
    }
}
