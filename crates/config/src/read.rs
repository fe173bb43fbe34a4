//! Reads the text of the config file.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read as _},
    os::unix::fs::FileTypeExt as _,
    path::Path,
};

use super::{
    locate::ConfigPath,
    position::{At, KeyPath, Mark, Mistake},
};

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Result of reading the file.
pub(super) enum Text {
    /// The file is missing, which is allowed.
    Missing,
    /// The file has no usable text.
    Unusable(Mistake),
    /// Text of the file; the mistake says which bytes were replaced in it.
    Read(String, Option<Mistake>),
}

/// Reads the whole file, which is limited in size and must be a file.
pub(super) fn read(path: &ConfigPath) -> Text {
    let file = path.file();
    match fs::metadata(file) {
        Err(error) if is_missing(&error) && !path.is_named() && !is_dangling(file) => return Text::Missing,
        Err(error) if is_missing(&error) && is_dangling(file) => return unusable("dangling symbolic link"),
        Err(error) if is_missing(&error) => {
            return unusable("no such file: fix the path, or leave it out to use the default locations");
        }
        Err(error) => return unusable(&format!("could not read it ({})", reason(&error))),
        Ok(found) if found.is_dir() => return unusable("is a directory, not a file"),
        Ok(found) if found.file_type().is_fifo() || found.file_type().is_socket() => {
            return unusable("is a pipe: a regular file is needed, because it is read more than once");
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // Limited while reading, since a file can grow and a device has no size.
    let read = File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => unusable(&format!("could not read it ({})", reason(&error))),
        Ok(_) if bytes.len() as u64 > MAX_BYTES => {
            unusable("larger than 1 MiB: put long prompts in files (`promptFile`)")
        }
        Ok(_) => decode(bytes),
    }
}

fn decode(bytes: Vec<u8>) -> Text {
    if let Some(encoding) = wide_encoding(&bytes) {
        return unusable(&format!("encoded as {encoding}: save it as UTF-8"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Text::Read(text, None),
        Err(error) => {
            let valid_up_to = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let message = format!("not UTF-8 (byte 0x{:02x}): save it as UTF-8", bytes[valid_up_to]);
            let at = At::Mark(Mark::of_byte(&text, valid_up_to));
            Text::Read(text, Some(Mistake { path: KeyPath::default(), at, message }))
        }
    }
}

/// Recognises UTF-32 and UTF-16, by the byte order mark or by the zero bytes of the first characters.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    // The byte order mark of UTF-32 begins like that of UTF-16.
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Some("UTF-32");
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some("UTF-16");
    }
    let zeros: Vec<bool> = bytes.iter().take(4).map(|byte| *byte == 0).collect();
    match zeros[..] {
        [true, true, true, false] | [false, true, true, true] => Some("UTF-32"),
        [true, false, true, false] | [false, true, false, true] | [true, false] | [false, true] => Some("UTF-16"),
        _ => None,
    }
}

fn unusable(message: &str) -> Text {
    Text::Unusable(Mistake { path: KeyPath::default(), at: At::File, message: message.to_owned() })
}

/// True if there is no config file. That includes a file in the place of its folder.
fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn is_dangling(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|found| found.is_symlink())
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}
