//! Atomic and durable writes.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    time::Duration,
};

use super::storage;
use crate::{Error, failpoint};

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
        .prefix(WRITING)
        .tempfile_in(dir)
        .map_err(storage(dir, "a file cannot be made here"))?;
    failpoint::at("write.made");
    file.write_all(bytes).map_err(storage(path, "it cannot be written"))?;
    failpoint::at("write.written");
    if sync {
        file.as_file().sync_all().map_err(storage(path, "it cannot be written to disk"))?;
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
        let left = entry.file_name().to_str().is_some_and(|name| name.starts_with(WRITING));
        let old = || {
            entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LONG))
        };
        if left && old() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the names in a folder outlast a power loss.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(storage(dir, "the folder cannot be written to disk"))
}
