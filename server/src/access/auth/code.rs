//! One-use codes: left as private files by `the-loop open`, taken by the service in exchange for a cookie.
//!
//! The file system is the channel that proves who left one. A code is short-lived, and is gone once it was tried.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use files::write::{self, Durability};

use super::unguessable;

/// How long a code may be used.
const LIFETIME: Duration = Duration::from_mins(5);

/// Where codes are left, below `<state.root>/local`.
pub(super) fn folder(local: &Path) -> PathBuf {
    local.join("codes")
}

/// Leaves a code below a state folder, and gives it.
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

/// Takes a code: true once, for one that was left and is still fresh.
pub(super) fn take(dir: &Path, code: &str) -> bool {
    // Invariant: only what we make is ever looked for, so that a code is no path.
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
