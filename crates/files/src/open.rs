//! Opens files without following a link that another user may have put in their place.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::OFlags;

/// Treatment of a link in place of a file. Links among the folders above are the operator's own, and are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The link is refused. The program created the file, so another user could choose the target of a link.
    Refuse,
    /// The link is followed: the operator named the file.
    Follow,
}

/// Opens a regular file for reading. A pipe or device is refused without waiting for a writer.
pub fn plain(path: &Path, links: Links) -> io::Result<File> {
    measured(path, links).map(|(file, _)| file)
}

/// Opens a regular file for reading, and returns its length as well.
pub(crate) fn measured(path: &Path, links: Links) -> io::Result<(File, u64)> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | no_follow(links);
    let file = OpenOptions::new().read(true).custom_flags(bits(flags)).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((file, found.len()))
}

/// Opens a private file for appending, and creates it if it is missing.
pub fn append(path: &Path) -> io::Result<File> {
    appending().create(true).open(path)
}

/// Opens a file for appending; `None` if it is missing.
pub fn append_existing(path: &Path) -> io::Result<Option<File>> {
    match appending().open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates a private file for appending; fails if one exists.
pub fn append_new(path: &Path) -> io::Result<File> {
    appending().create_new(true).open(path)
}

/// Opens a private file for reading and writing, and creates it if it is missing. Its contents stay.
pub(crate) fn shared(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.custom_flags(bits(no_follow(Links::Refuse))).open(path)
}

fn appending() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(0o600).custom_flags(bits(no_follow(Links::Refuse)));
    options
}

fn no_follow(links: Links) -> OFlags {
    match links {
        Links::Refuse => OFlags::NOFOLLOW,
        Links::Follow => OFlags::empty(),
    }
}

fn bits(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}
