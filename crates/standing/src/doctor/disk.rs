//! Check for disk space for records.

use std::path::Path;

use files::{
    folder,
    lock::{LockError, LockFile},
    write::Synced,
};
use rustix::fs::{StatVfs, statvfs};
use wire::{Check, Finding};

use super::CheckContext;

/// Minimum free bytes. Agents' logs and transcripts are usually on the same disk.
const BYTES: u64 = 64 * 1024 * 1024;

/// Minimum free inodes. A start writes some files.
const FILES: u64 = 256;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let Some(folder) = nearest(&patient.settings().state_root) else { return Vec::new() };
    let Ok(space) = statvfs(folder) else { return Vec::new() };
    let finding = full(&space).map(|what| {
        let remedy = "free some space: with a full disk, sessions cannot start and message receipts are lost";
        Finding::hazard(Check::Disk, folder.display().to_string(), what, remedy)
    });
    finding.into_iter().chain(limits(folder)).collect()
}

/// Reports the limits that the file system reaches.
fn limits(folder: &Path) -> Vec<Finding> {
    let place = folder.display().to_string();
    let Ok(opened) = LockFile::folder(folder) else { return Vec::new() };
    let mut findings = Vec::new();
    match folder::sync(folder) {
        Ok(Synced::Yes) => {}
        Ok(Synced::NotOffered(error)) => findings.push(Finding::notice(
            Check::Disk,
            &place,
            format!(
                "this file system cannot sync a directory to disk ({error}): a power loss may undo the last \
                     record changes"
            ),
            "put `state.root` on a local disk",
        )),
        Err(error) => findings.push(Finding::hazard(
            Check::Disk,
            &place,
            format!("could not sync the directory to disk ({error}): sessions cannot be created or changed"),
            "check the kernel log for that disk (`dmesg`), or put `state.root` on another disk",
        )),
    }
    if let Err(LockError::Unsupported(error) | LockError::Failed(error)) = opened.is_held_by_any() {
        findings.push(Finding::notice(
            Check::Disk,
            &place,
            format!(
                "this file system does not support locks ({error}): commands exclude each other on this machine \
                     only"
            ),
            "put `state.root` on a local disk, and do not use it from two machines at once",
        ));
    }
    findings
}

/// Finds the nearest existing folder: the first change creates the state folder.
pub(super) fn nearest(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.exists())
}

fn full(space: &StatVfs) -> Option<String> {
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    if free < BYTES {
        return Some(format!("the disk is nearly full: {} MiB free", free / (1024 * 1024)));
    }
    // Some file systems do not count files.
    (space.f_files > 0 && space.f_favail < FILES).then(|| format!("only {} inodes are free", space.f_favail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_for_bytes_or_files_is_told() {
        let mut space = statvfs("/").expect("there is a root");
        (space.f_frsize, space.f_bavail, space.f_files, space.f_favail) = (4096, 1 << 20, 1 << 20, 1 << 10);
        assert_eq!(full(&space), None);
        space.f_favail = 3;
        assert_eq!(full(&space).as_deref(), Some("only 3 inodes are free"));
        space.f_files = 0;
        assert_eq!(full(&space), None, "a file system that counts none");
        space.f_bavail = 256;
        assert_eq!(full(&space).as_deref(), Some("the disk is nearly full: 1 MiB free"));
    }
}
