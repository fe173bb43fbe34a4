//! Reads with a limit.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::open::{self, Links};

/// Reads a regular file of at most `limit` bytes. A larger one is an error of the kind
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge).
pub fn bytes(path: &Path, links: Links, limit: usize) -> io::Result<Vec<u8>> {
    let (file, length) = open::measured(path, links)?;
    up_to(file, length, limit)
}

/// Reads a regular file of at most `limit` bytes of UTF-8.
pub fn text(path: &Path, links: Links, limit: usize) -> io::Result<String> {
    String::from_utf8(bytes(path, links, limit)?)
        .map_err(|error| io::Error::other(format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to())))
}

/// Reads one of the program's own files; `None` if it is missing.
pub fn text_if_there(path: &Path, limit: usize) -> io::Result<Option<String>> {
    match text(path, Links::Refuse, limit) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads an open file to its end, at most `limit` bytes of it.
pub fn all(file: File, limit: usize) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    up_to(file, length, limit)
}

fn up_to(file: File, length: u64, limit: usize) -> io::Result<Vec<u8>> {
    // One read takes all of it, and a second one finds the end.
    let expected = usize::try_from(length).unwrap_or(limit).min(limit);
    let mut bytes = Vec::with_capacity(expected + 64);
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {limit} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn only_a_regular_file_within_the_limit_is_read() {
        let dir = tempfile::tempdir().expect("made");
        let (file, link, pipe) = (dir.path().join("f"), dir.path().join("link"), dir.path().join("pipe"));
        fs::write(&file, "1234").expect("written");
        symlink(&file, &link).expect("linked");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        assert_eq!(text(&file, Links::Refuse, 4).expect("read"), "1234");
        assert_eq!(text(&link, Links::Follow, 4).expect("read"), "1234");
        assert!(text(&link, Links::Refuse, 4).is_err());
        let kind = |path: &Path| bytes(path, Links::Follow, 3).expect_err("refused").kind();
        assert_eq!(kind(&file), io::ErrorKind::FileTooLarge);
        for path in [pipe.as_path(), Path::new("/dev/zero"), dir.path()] {
            assert_eq!(kind(path), io::ErrorKind::Other, "{}", path.display());
        }
        assert_eq!(text_if_there(&dir.path().join("none"), 4).expect("asked"), None);
    }
}
