//! Private folders.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::is_unsupported;

/// Reason not to trust a folder: another user with write access could replace its contents.
#[derive(Debug, thiserror::Error)]
pub enum Distrust {
    /// The folder could not be inspected.
    #[error(transparent)]
    Unseen(#[from] io::Error),
    /// A file or link is in its place.
    #[error("not a directory")]
    NotAFolder,
    /// The owner of the folder is another user.
    #[error("owned by another user")]
    AnotherUsers,
    /// The mode of the folder lets others write.
    #[error("other users can write to it: run `chmod go-w {}`", .0.display())]
    OthersWrite(PathBuf),
}

/// Result of a request to write to disk.
#[must_use]
#[derive(Debug)]
pub enum Synced {
    /// The data is on disk, or no sync was requested.
    Yes,
    /// The file system does not write to disk on request.
    NotOffered(io::Error),
}

/// Creates a folder and its parents, with mode 0700. An existing folder stays as it is.
pub fn make(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Creates the folder that holds a file.
pub fn make_for(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), make)
}

/// Checks that a folder belongs to this user and that no other user may write in it. A link is refused.
pub fn check(dir: &Path) -> Result<(), Distrust> {
    let meta = fs::symlink_metadata(dir)?;
    if !meta.is_dir() {
        return Err(Distrust::NotAFolder);
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(Distrust::AnotherUsers);
    }
    if meta.permissions().mode() & 0o022 != 0 {
        return Err(Distrust::OthersWrite(dir.to_owned()));
    }
    Ok(())
}

/// Checks a folder above a private one, which another program may have created. Root may own it. The user's own group
/// may write in it (as a umask of 002 allows). Others may too, if only the owners of its entries can replace them.
pub fn check_above(dir: &Path) -> Result<(), Distrust> {
    let meta = fs::metadata(dir)?;
    let (mode, own_group) = (meta.permissions().mode(), meta.gid() == rustix::process::getegid().as_raw());
    if ![0, rustix::process::geteuid().as_raw()].contains(&meta.uid()) {
        return Err(Distrust::AnotherUsers);
    }
    let others_write = mode & 0o002 != 0 || (mode & 0o020 != 0 && !own_group);
    if others_write && mode & 0o1000 == 0 {
        return Err(Distrust::OthersWrite(dir.to_owned()));
    }
    Ok(())
}

/// Makes the names in a folder survive a power loss.
pub fn sync(dir: &Path) -> io::Result<Synced> {
    synced(&File::open(dir)?)
}

/// Waits until a file or folder is on disk. A file system without this feature is a result; a failing disk is an error.
pub(crate) fn synced(file: &File) -> io::Result<Synced> {
    match file.sync_all() {
        Ok(()) => Ok(Synced::Yes),
        Err(error) if is_unsupported(&error) => Ok(Synced::NotOffered(error)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_trusted_while_only_its_owner_may_write_in_it() {
        let root = tempfile::tempdir().expect("made");
        let dir = root.path().join("a/b");
        make(&dir).expect("made");
        check(&dir).expect("private");
        check_above(&root.path().join("a")).expect("private");
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o770)).expect("set");
        assert!(matches!(check(&dir), Err(Distrust::OthersWrite(_))));
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).expect("set");
        assert!(matches!(check_above(&dir), Err(Distrust::OthersWrite(_))));
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o1777)).expect("set");
        check_above(&dir).expect("entries are safe from others");
        std::os::unix::fs::symlink(&dir, root.path().join("link")).expect("linked");
        assert!(matches!(check(&root.path().join("link")), Err(Distrust::NotAFolder)));
        assert!(matches!(check(&root.path().join("none")), Err(Distrust::Unseen(_))));
    }
}
