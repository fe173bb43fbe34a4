//! Atomic and durable writes, new files, and rotation.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::Path,
    time::Duration,
};

use rustix::process::{Pid, test_kill_process};

pub use crate::folder::Synced;
use crate::{Error, failpoint, folder};

/// Name prefix of a file until it is whole.
const WRITING: &str = ".writing-";

/// Age from which an unfinished file counts as abandoned: no write takes that long.
const ABANDONED: Duration = Duration::from_hours(1);

/// Mode of a private file.
const PRIVATE: u32 = 0o600;

/// Kind of crash that a write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the program. A power loss may restore the old content.
    Crash,
    /// A power loss.
    PowerLoss,
}

/// Replaces a private file. After a crash the old or the new file is there, whole.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<Synced, Error> {
    replace_with_mode(path, bytes, durability, PRIVATE)
}

/// Replaces a file and sets the mode of the new one.
pub fn replace_with_mode(path: &Path, bytes: &[u8], durability: Durability, mode: u32) -> Result<Synced, Error> {
    let dir = path.parent().unwrap_or(Path::new("."));
    // Order matters: whole and on disk under a temporary name before it takes the name that is read.
    let mut file = tempfile::Builder::new()
        .prefix(&format!("{WRITING}{}-{}-", pid_namespace(), std::process::id()))
        .tempfile_in(dir)
        .map_err(Error::at(dir, "could not create a file here"))?;
    failpoint::at("write.made");
    let cannot_write = "could not write it";
    file.write_all(bytes).map_err(Error::at(path, cannot_write))?;
    if mode != PRIVATE {
        file.as_file().set_permissions(fs::Permissions::from_mode(mode)).map_err(Error::at(path, cannot_write))?;
    }
    failpoint::at("write.written");
    if durability == Durability::PowerLoss {
        let synced = folder::synced(file.as_file()).map_err(Error::at(path, "could not sync it to disk"))?;
        // The folder is on the same file system and gives the same result, which is kept.
        drop(synced);
    }
    failpoint::at("write.synced");
    file.persist(path).map_err(|error| Error::at(path, "could not move it into place")(error.error))?;
    failpoint::at("write.renamed");
    match durability {
        Durability::Crash => Ok(Synced::Yes),
        Durability::PowerLoss => folder::sync(dir).map_err(Error::at(dir, "could not sync the directory to disk")),
    }
}

/// Creates a private file with contents. An existing file is an error of the kind
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists). A file that could not be written whole is removed.
pub fn create(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)?;
    let written = file.write_all(bytes).and_then(|()| match durability {
        Durability::Crash => Ok(()),
        Durability::PowerLoss => file.sync_all(),
    });
    written.inspect_err(|_| drop(fs::remove_file(path)))
}

/// Waits until data written to an open file is on disk.
pub fn sync_data(file: &fs::File) -> io::Result<()> {
    file.sync_data()
}

/// Renames a file, replacing an existing one.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Removes the leftovers of interrupted writes from a folder.
pub fn tidy(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(WRITING)) else { continue };
        let abandoned = || {
            let modified = entry.metadata().and_then(|meta| meta.modified());
            modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED))
        };
        if has_ended(rest) || abandoned() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// True if the writer of a file has ended. A pid is only meaningful in its own namespace.
fn has_ended(rest: &str) -> bool {
    let mut parts = rest.split('-');
    let (Some(namespace), Some(pid), Some(_)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let pid = pid.parse().ok().and_then(Pid::from_raw);
    namespace == pid_namespace() && pid.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

/// Returns an identifier of this process's pid namespace.
fn pid_namespace() -> String {
    fs::metadata("/proc/self/ns/pid").map(|meta| meta.ino().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_private_and_leaves_no_other_behind() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("f");
        for (text, durability) in [("one", Durability::Crash), ("two", Durability::PowerLoss)] {
            let _ = replace(&path, text.as_bytes(), durability).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
        }
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, PRIVATE);
        let _ = replace_with_mode(&path, b"three", Durability::Crash, 0o644).expect("written");
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o644);
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1);
        let again = create(&path, b"four", Durability::PowerLoss).expect_err("it exists");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).expect("read"), "three");
    }

    #[test]
    fn unfinished_files_of_ended_writers_are_removed_and_others_stay() {
        let dir = tempfile::tempdir().expect("made");
        let mut child = std::process::Command::new("true").spawn().expect("spawned");
        let ended = child.id();
        child.wait().expect("ended");
        let at = |namespace: &str, pid: u32| dir.path().join(format!("{WRITING}{namespace}-{pid}-x"));
        let (gone, running) = (at(&pid_namespace(), ended), at(&pid_namespace(), std::process::id()));
        let elsewhere = at("1", ended);
        for path in [&gone, &running, &elsewhere] {
            fs::write(path, "").expect("written");
        }
        tidy(dir.path());
        assert_eq!([gone, running, elsewhere].map(|path| path.exists()), [false, true, true]);
    }
}
