//! Searches for a program as a shell does.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the first executable file with one of these names, in the order of the names.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| executable(file)))
}

/// True if the file is executable.
pub(crate) fn executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
