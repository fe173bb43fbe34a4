//! State folder: its owner, its creation, and the mark that identifies it.
//!
//! Every change of a state folder passes through here first. A folder of another user stays as it is, and a new one is
//! excluded from version control from its first moment.

use std::{
    fs, io,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use files::{
    folder,
    write::{self, Durability},
};

use crate::{Error, error::storage};

/// Excludes everything but the config from version control, since the config may lie in the same folder.
const IGNORE: &str = "*\n!/cli-config.yaml\n";

/// Prepares a state folder for writing, or refuses before any change.
pub fn make(root: &Path) -> Result<(), Error> {
    check_owner(root)?;
    folder::make(root).map_err(storage(root, "could not create the state directory"))?;
    // An existing file stays as it is. A failed write does not stop a verb.
    let _ = write::create(&root.join(".gitignore"), IGNORE.as_bytes(), Durability::Crash);
    Ok(())
}

/// Refuses a state folder of another user: files that this user wrote there would lock its owner out.
pub fn check_owner(root: &Path) -> Result<(), Error> {
    let ourselves = rustix::process::geteuid().as_raw();
    let below = [
        "local/standing/.launch",
        "local/standing/.copies",
        "local/standing/.locks",
        "local/standing/.messages",
        "local/standing",
        "local",
        "logs",
        "channels",
    ];
    for path in below.iter().map(|path| root.join(path)).chain([root.to_owned()]) {
        match owner(&path)? {
            Some(owner) if owner != ourselves && !(owner == 0 && path == root) => return Err(refused(path, owner)),
            _ => {}
        }
    }
    // A folder that does not exist yet is created in another one. Only root can write in every user's folder, and would
    // leave files there that the owner cannot use.
    if ourselves == 0
        && let Some((above, owner)) = nearest(root)?
        && owner != 0
    {
        return Err(refused(above, owner));
    }
    Ok(())
}

fn refused(path: PathBuf, owner: u32) -> Error {
    Error::NotOurFolder { path, owner }
}

/// Returns the owner of a file or folder; `None` if it does not exist.
fn owner(path: &Path) -> Result<Option<u32>, Error> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Some(meta.uid())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        // An inaccessible path lies in another user's folder, which the search upwards finds.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(storage(path, "could not inspect the state directory")(error)),
    }
}

/// Returns the state folder, or the nearest existing folder above it.
fn nearest(root: &Path) -> Result<Option<(PathBuf, u32)>, Error> {
    for path in root.ancestors() {
        if let Some(owner) = owner(path)? {
            return Ok(Some((path.to_owned(), owner)));
        }
    }
    Ok(None)
}

/// Returns the mark that identifies a state folder on this machine, existing or not. It depends on the path, so a
/// folder that was removed and created again keeps its mark.
pub fn mark(root: &Path) -> String {
    let mut missing = Vec::new();
    let mut path = root;
    let real = loop {
        match (path.canonicalize(), path.parent(), path.file_name()) {
            (Ok(real), _, _) => break missing.iter().rev().fold(real, |real: PathBuf, part| real.join(part)),
            (Err(_), Some(parent), Some(part)) => {
                missing.push(part.to_owned());
                path = parent;
            }
            (Err(_), _, _) => break root.to_owned(),
        }
    };
    format!("{:016x}", fingerprint(real.as_os_str().as_bytes()))
}

/// FNV-1a hash: stable across versions, unlike a hasher of the standard library.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_folder_is_ignored_by_version_control_and_an_ignore_file_that_is_there_stays() {
        let dir = tempfile::tempdir().expect("made");
        let root = dir.path().join("a/state");
        make(&root).expect("made");
        assert!(fs::read_to_string(root.join(".gitignore")).expect("written").starts_with("*\n"));
        fs::write(root.join(".gitignore"), "mine\n").expect("written");
        make(&root).expect("ready");
        assert_eq!(fs::read_to_string(root.join(".gitignore")).expect("there"), "mine\n");
    }

    #[test]
    fn a_folder_keeps_its_mark_when_it_is_removed_and_made_again_and_through_a_link() {
        let dir = tempfile::tempdir().expect("made");
        let root = dir.path().join("state");
        let before = mark(&root);
        make(&root).expect("made");
        assert_eq!(mark(&root), before);
        std::os::unix::fs::symlink(&root, dir.path().join("link")).expect("linked");
        assert_eq!(mark(&dir.path().join("link")), before);
        assert_ne!(mark(&dir.path().join("other")), before);
    }
}
