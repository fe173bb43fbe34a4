//! Atomic and durable writes.

use std::{fs::File, io::Write, path::Path};

use super::storage;
use crate::Error;

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
        .prefix(".writing-")
        .tempfile_in(dir)
        .map_err(storage(dir, "a file cannot be made here"))?;
    file.write_all(bytes).map_err(storage(path, "it cannot be written"))?;
    if sync {
        file.as_file().sync_all().map_err(storage(path, "it cannot be written to disk"))?;
    }
    file.persist(path).map(drop).map_err(|error| storage(path, "it cannot be put in place")(error.error))
}

/// Makes the names in a folder outlast a power loss.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(storage(dir, "the folder cannot be written to disk"))
}
