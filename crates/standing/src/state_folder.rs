//! The state folder: whose it is, how it is made, and what tells it from every other one.
//!
//! Every change of a state folder comes through here first, so that a folder of another user is left as it is and a
//! new one is out of the reach of version control from its first moment.

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

/// Keeps everything out of version control but the config, which may lie in the same folder.
const IGNORE: &str = "*\n!/cli-config.yaml\n";

/// Makes a state folder ready to be written in, or refuses before anything was changed.
pub fn make(root: &Path) -> Result<(), Error> {
    check_owner(root)?;
    folder::make(root).map_err(storage(root, "could not create the state directory"))?;
    // One that is there stays as it is. That it cannot be written keeps no verb from its work.
    let _ = write::create(&root.join(".gitignore"), IGNORE.as_bytes(), Durability::Crash);
    Ok(())
}

/// Refuses a state folder of another user: what this user wrote there would lock its owner out.
pub fn check_owner(root: &Path) -> Result<(), Error> {
    let ourselves = rustix::process::geteuid().as_raw();
    let below = [
        "local/standing/.launch",
        "local/standing/.copies",
        "local/standing/.locks",
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
    // A folder that does not exist yet comes to stand in another one. Only root can write in everybody's, and would
    // leave there what the owner cannot use.
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

/// The owner of a file or folder; `None` if there is none.
fn owner(path: &Path) -> Result<Option<u32>, Error> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Some(meta.uid())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        // What cannot be looked at lies in a folder that is not ours, which is found on the way up.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(storage(path, "could not inspect the state directory")(error)),
    }
}

/// The state folder, or the nearest one above that is there.
fn nearest(root: &Path) -> Result<Option<(PathBuf, u32)>, Error> {
    for path in root.ancestors() {
        if let Some(owner) = owner(path)? {
            return Ok(Some((path.to_owned(), owner)));
        }
    }
    Ok(None)
}

/// What tells a state folder from every other one on this machine, whether it is there or not. It goes by the path, so
/// that a folder that was removed and made again is the same one.
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

/// FNV-1a: stable across versions, which a hasher of the standard library is not.
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
