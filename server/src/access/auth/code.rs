//! One-time codes: `the-loop open` leaves them as private files, and the service exchanges them for a cookie.
//!
//! The file system proves that the user left the code. A code is short-lived, and is deleted at the first attempt to
//! use it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use files::write::{self, Durability};

use super::unguessable;

/// Lifetime of a code.
const LIFETIME: Duration = Duration::from_mins(5);

/// Returns the folder of the codes, below `<state.root>/local`.
pub(super) fn folder(local: &Path) -> PathBuf {
    local.join("codes")
}

/// Creates a code below a state folder and returns it.
pub(crate) fn leave(state_root: &Path) -> io::Result<String> {
    let dir = folder(&state_root.join("local"));
    files::folder::make(&dir)?;
    for entry in fs::read_dir(&dir)?.flatten() {
        if !is_fresh(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
    let code = unguessable();
    write::create(&dir.join(&code), b"", Durability::PowerLoss)?;
    Ok(code)
}

/// Consumes a code: true once, for a code that exists and has not expired.
pub(super) fn take(dir: &Path, code: &str) -> bool {
    // Invariant: only text in the form of a generated code is used as a file name, so a code cannot be a path.
    if code.len() != 64 || !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return false;
    }
    let path = dir.join(code);
    let fresh = is_fresh(&path);
    fs::remove_file(&path).is_ok() && fresh
}

fn is_fresh(path: &Path) -> bool {
    let age = fs::symlink_metadata(path)
        .and_then(|meta| meta.modified())
        .map(|made| SystemTime::now().duration_since(made).unwrap_or_default());
    age.is_ok_and(|age| age < LIFETIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_works_once_and_is_no_path() {
        let root = tempfile::tempdir().expect("made");
        let dir = folder(&root.path().join("local"));
        let code = leave(root.path()).expect("left");
        assert!(!take(&dir, ""));
        assert!(!take(&dir, "../service.token"));
        assert!(!take(&dir, &"0".repeat(64)));
        assert!(take(&dir, &code));
        assert!(!take(&dir, &code), "used up");
    }

    #[test]
    fn an_old_code_is_refused_and_swept() {
        let root = tempfile::tempdir().expect("made");
        let dir = folder(&root.path().join("local"));
        let code = leave(root.path()).expect("left");
        let old = SystemTime::now() - LIFETIME - Duration::from_secs(1);
        let age = |code: &str| fs::File::options().write(true).open(dir.join(code)).and_then(|f| f.set_modified(old));
        age(&code).expect("aged");
        assert!(!take(&dir, &code));
        let code = leave(root.path()).expect("left");
        age(&code).expect("aged");
        leave(root.path()).expect("left");
        assert!(!dir.join(&code).exists());
    }
}
