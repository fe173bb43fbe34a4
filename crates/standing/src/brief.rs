//! The operator's brief, from the config, a record or a file. Only a regular file is read, and only up to a limit: a
//! pipe without a writer would block a start, and everything queued behind it, forever.

use std::{
    io,
    path::{Path, PathBuf},
};

use files::{open::Links, read};

/// Size limit of a brief, in bytes. The brief is passed to the harness as one argument together with the directive,
/// and Linux limits an argument to 128 KiB.
pub const BRIEF_LIMIT: usize = 125 * 1024;

/// The operator's brief, or the file to read it from when the session starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Brief {
    Text(String),
    File(PathBuf),
}

impl Brief {
    /// Returns the text. A file that could not be read fails only its own session.
    pub(crate) fn read(&self) -> Result<String, String> {
        match self {
            Self::Text(text) => fits(text.len()).map(|()| text.clone()),
            Self::File(path) => {
                read_brief(path).map_err(|error| format!("could not read the promptFile {}: {error}", path.display()))
            }
        }
    }
}

/// Checks that a brief of this size can be passed to a harness.
pub(crate) fn fits(bytes: usize) -> Result<(), String> {
    if bytes <= BRIEF_LIMIT {
        return Ok(());
    }
    Err(format!("the prompt has {bytes} bytes and the limit is {BRIEF_LIMIT}: put the rest in a file that it names"))
}

/// Reads a brief from a file: a regular file of at most [`BRIEF_LIMIT`] bytes of UTF-8.
pub fn read_brief(path: &Path) -> io::Result<String> {
    read::text(path, Links::Follow, BRIEF_LIMIT).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            io::Error::other(format!("{error}, which is the limit: put the rest in a file that it names"))
        }
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_plain_file_of_a_bearable_size_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("brief");
        fs::write(&file, "be brief\n").expect("written");
        assert_eq!(read_brief(&file).expect("read"), "be brief\n");
        fs::write(&file, "x".repeat(BRIEF_LIMIT)).expect("written");
        assert_eq!(read_brief(&file).expect("read").len(), BRIEF_LIMIT);
        fs::write(&file, "x".repeat(BRIEF_LIMIT + 1)).expect("written");
        assert!(read_brief(&file).expect_err("too long").to_string().contains("limit"));
        fs::write(&file, b"\xff").expect("written");
        assert!(read_brief(&file).is_err(), "no UTF-8");

        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        for path in [&pipe, Path::new("/dev/zero"), folder.path()] {
            assert!(read_brief(path).is_err(), "{}", path.display());
        }
    }
}
