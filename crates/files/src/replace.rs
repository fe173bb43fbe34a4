//! Replaces a file that another program writes too, without a lock.
//!
//! Such a program may write at any moment. So the new text is on disk before the file is touched. It takes the file's
//! place only if the file is still the one that was read. The two files are exchanged, so the displaced one can be
//! checked and put back. One case remains: a write that such a program began before the exchange and ends after it.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

/// Maximum number of links that lead to a file.
const MAX_LINKS: usize = 40;

/// File as it was read. It is kept open, so that no other file can get its number meanwhile.
#[derive(Debug)]
pub struct Found {
    _file: File,
    meta: Metadata,
    text: String,
}

impl Found {
    /// Reads a file; `None` if it is missing.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // Order matters: a write after this shows in the time.
        let meta = file.metadata()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(Some(Self { _file: file, meta, text }))
    }

    /// Returns the text, empty if there are only blanks.
    pub fn text(&self) -> &str {
        if self.text.trim().is_empty() { "" } else { &self.text }
    }

    /// True if the file at a path is the one that was read and has not been written since.
    fn is(&self, path: &Path) -> bool {
        let Ok(now) = fs::symlink_metadata(path) else { return false };
        let of = |meta: &Metadata| (meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec());
        of(&now) == of(&self.meta)
    }
}

/// Resolves the links that lead to a file, which may not exist.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Ok(real) => return Ok(real),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Err(_) => match fs::read_link(&path) {
                Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
                Err(_) => break,
            },
        }
    }
    // Its folder may be a link even if the file is not.
    match (path.parent().and_then(|dir| fs::canonicalize(dir).ok()), path.file_name()) {
        (Some(dir), Some(name)) => Ok(dir.join(name)),
        _ => Ok(path),
    }
}

/// Replaces the file that was read by a text, on disk and with its mode. False if another file is there now.
pub fn if_unchanged(path: &Path, found: Option<&Found>, text: &str) -> io::Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    if let Some(found) = found {
        file.as_file().set_permissions(fs::Permissions::from_mode(found.meta.permissions().mode()))?;
    }
    file.as_file().sync_all()?;
    let Some(found) = found else {
        return match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        };
    };
    if !found.is(path) {
        return Ok(false);
    }
    let ours = file.as_file().metadata()?.ino();
    match exchange(file.path(), path) {
        Ok(()) => {}
        Err(Errno::NOENT) => return Ok(false),
        // A file system that cannot exchange two files.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            return file.persist(path).map(|_| true).map_err(|error| error.error);
        }
        Err(error) => return Err(error.into()),
    }
    let displaced = file.path().to_owned();
    if found.is(&displaced) {
        return Ok(true);
    }
    // Another program's file was displaced, and is put back. If it was replaced again meanwhile, the newest one stays.
    exchange(&displaced, path)?;
    if fs::symlink_metadata(&displaced)?.ino() != ours {
        exchange(&displaced, path)?;
    }
    Ok(false)
}

fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_since_it_was_read_is_left_alone() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("f");
        assert!(if_unchanged(&path, None, "one").expect("written"), "there was none");
        assert!(!if_unchanged(&path, None, "two").expect("asked"), "now there is one");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        let found = Found::read(&path).expect("read").expect("there");
        assert!(if_unchanged(&path, Some(&found), "two").expect("written"));
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o640);
        assert!(!if_unchanged(&path, Some(&found), "three").expect("asked"), "it is another file");
        assert_eq!(fs::read_to_string(&path).expect("read"), "two");
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1, "no draft is left");
    }
}
