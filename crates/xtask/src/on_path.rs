//! Looks for a program the way a shell does.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The first executable file of one of these names, in the order of the names.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| executable(file)))
}

/// Whether this is a file that may be run.
pub(crate) fn executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
