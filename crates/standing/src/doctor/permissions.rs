//! Check that config, records and logs are private. A user who can write the config or the records can run programs as
//! their owner. A user who can read the records and logs learns what agents are told.

use std::{
    fs::{self, Metadata},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};
use wire::{Check, Finding};

use super::{CheckContext, disk::nearest};

/// Sticky bit: in a folder with it, users can neither rename nor remove files of others.
const STICKY: u32 = 0o1000;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let settings = patient.settings();
    let (config, root) = (patient.context.config.path.file(), &settings.state_root);
    let written = config.parent().into_iter().chain([config, root.as_path()]);
    let mut findings: Vec<Finding> =
        written.filter_map(|path| open_to_write(path, &fs::metadata(path).ok()?)).collect();
    // Both names may lead to one folder.
    findings.dedup();
    let private = ["local", "local/standing", "logs", "channels"].map(|folder| root.join(folder));
    findings.extend(private.iter().filter_map(|folder| open_at_all(folder)));
    // If the root cannot be written, folders below it need no finding.
    let folders = std::iter::once(root).chain(private.iter().filter(|folder| folder.is_dir()));
    findings.extend(folders.map(|folder| unwritable(folder)).find_map(|finding| finding));
    findings
}

/// Reports a path that others may read but can also write.
fn open_to_write(path: &Path, meta: &Metadata) -> Option<Finding> {
    if let Some(finding) = not_ours(path, meta) {
        return Some(finding);
    }
    let mode = meta.permissions().mode();
    (mode & 0o022 != 0 && mode & STICKY == 0).then(|| {
        let what = "other users can write to it, and so run programs as you";
        hazard(path, what, format!("`chmod go-w {}`", path.display()))
    })
}

/// Reports a private folder that others can enter. Contents of a closed folder need no check.
fn open_at_all(path: &Path) -> Option<Finding> {
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_dir() {
        return Some(hazard(
            path,
            "is not a directory",
            "move it away; the-loop creates the directory again".to_owned(),
        ));
    }
    if let Some(finding) = not_ours(path, &meta) {
        return Some(finding);
    }
    let mode = meta.permissions().mode();
    let may = match (mode & 0o022 != 0, mode & 0o055 != 0) {
        (true, _) => "write to it, and so run programs as you",
        (false, true) => "read prompts and events in it",
        (false, false) => return None,
    };
    let remedy = format!("`chmod -R go-rwx {}`", path.display());
    Some(hazard(path, &format!("other users can {may}"), remedy))
}

fn not_ours(path: &Path, meta: &Metadata) -> Option<Finding> {
    let (owner, ourselves) = (meta.uid(), rustix::process::geteuid().as_raw());
    // Root can do everything anyway.
    (owner != ourselves && owner != 0).then(|| {
        let what = format!("owned by another user (uid {owner}), who can run programs as you through it");
        hazard(path, &what, format!("`chown -R {ourselves} {}`, or choose another `state.root`", path.display()))
    })
}

fn unwritable(root: &Path) -> Option<Finding> {
    let folder = nearest(root)?;
    let (what, remedy) = if !folder.is_dir() {
        ("is not a directory, but the state directory belongs there", "move it away, or choose another `state.root`")
    } else if statvfs(folder).is_ok_and(|space| space.f_flag.contains(StatVfsMountFlags::RDONLY)) {
        ("the file system is read-only", "mount it read-write, or choose another `state.root`")
    } else if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        ("you cannot write to it", "make it writable for you, or choose another `state.root`")
    } else {
        return None;
    };
    Some(hazard(folder, what, remedy.to_owned()))
}

fn hazard(path: &Path, what: &str, remedy: String) -> Finding {
    Finding::hazard(Check::Permissions, path.display().to_string(), what, remedy)
}
