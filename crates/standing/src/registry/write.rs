//! Atomic and durable writes.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
    time::Duration,
};

use rustix::io::Errno;

use super::storage;
use crate::{Error, failpoint, notices, process::ProcessIdentity};

/// What a file is called until it is whole.
const WRITING: &str = ".writing-";

/// No write takes that long.
const LONG: Duration = Duration::from_hours(1);

/// Old or new, whole, after any crash; new after a return.
pub(crate) fn durable(dir: &Path, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    put(dir, path, bytes, true)?;
    sync_dir(dir)
}

/// Old or new, whole, after a crash of ours.
pub(crate) fn atomic(dir: &Path, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    put(dir, path, bytes, false)
}

fn put(dir: &Path, path: &Path, bytes: &[u8], sync: bool) -> Result<(), Error> {
    // Order matters: whole and on disk under a name of its own before it takes the name that is read.
    let mut file = tempfile::Builder::new()
        .prefix(&format!("{WRITING}{}-{}-", pid_namespace(), std::process::id()))
        .tempfile_in(dir)
        .map_err(storage(dir, "a file cannot be made here"))?;
    failpoint::at("write.made");
    file.write_all(bytes).map_err(storage(path, "it cannot be written"))?;
    failpoint::at("write.written");
    if sync {
        synced(file.as_file(), dir).map_err(storage(path, "it cannot be written to disk"))?;
    }
    failpoint::at("write.synced");
    file.persist(path).map(drop).map_err(|error| storage(path, "it cannot be put in place")(error.error))?;
    failpoint::at("write.renamed");
    Ok(())
}

/// Removes what writes that were cut short left.
pub(crate) fn tidy(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(WRITING)) else { continue };
        let old = || {
            entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LONG))
        };
        if has_ended(rest) || old() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether the writer of a file is known to have ended: a pid says so in its own namespace alone.
fn has_ended(rest: &str) -> bool {
    let mut parts = rest.split('-');
    let (Some(namespace), Some(pid), Some(_)) = (parts.next(), parts.next(), parts.next()) else { return false };
    namespace == pid_namespace() && pid.parse().is_ok_and(|pid| ProcessIdentity::of(pid).is_none())
}

/// What tells the pids of one namespace from those of another one.
fn pid_namespace() -> String {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self/ns/pid").map(|meta| meta.ino().to_string()).unwrap_or_default()
}

/// Makes the names in a folder outlast a power loss.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    File::open(dir)
        .and_then(|opened| synced(&opened, dir))
        .map_err(storage(dir, "the folder cannot be written to disk"))
}

/// Waits until a file or folder is on disk. A file system that does not offer that is got along with, and told of; a
/// disk that fails is not.
fn synced(file: &File, dir: &Path) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if is_unsupported(&error) => {
            notices::tell(format!(
                "{}: this file system does not write to disk on request ({error}): a power loss may undo the last \
                 changes of the records",
                dir.display()
            ));
            Ok(())
        }
        synced => synced,
    }
}

/// Whether a file system refuses a call because it does not know it, rather than because the disk fails.
pub fn is_unsupported(error: &io::Error) -> bool {
    let known = [Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::NOTTY, Errno::BADF, Errno::NOLCK];
    error.raw_os_error().is_some_and(|code| known.iter().any(|errno| errno.raw_os_error() == code))
}
