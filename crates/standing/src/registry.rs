//! The registry: one record a session, `<state.root>/local/standing/<name>.json`.
//!
//! Writes are atomic and durable, a file that cannot be read is never overwritten and never hides the others, and a
//! verb that changes a session holds its lock for as long as it works. Nothing here knows tmux.

mod lock;
mod record;
mod waiting;
mod write;

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use wire::SessionName;

pub(crate) use lock::{Hold, LockWait};
pub(crate) use record::{Origin, Pending, Phase, Record, RecordStatus, Server};
pub use write::is_unsupported;
pub(crate) use write::{atomic, durable};

use crate::{Error, state_folder};

/// A record is small; what is larger is no record.
const MAX_RECORD: u64 = 4 * 1024 * 1024;

/// The folder of records.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    root: PathBuf,
    dir: PathBuf,
}

/// What stands under a name.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// No file.
    Vacant,
    /// A record.
    Recorded(Box<Record>),
    /// A file that cannot be read as one, and why. The name is not free.
    Unreadable(String),
}

impl Entry {
    /// The record, if it is one.
    pub(crate) fn record(&self) -> Option<&Record> {
        match self {
            Self::Recorded(record) => Some(record),
            Self::Vacant | Self::Unreadable(_) => None,
        }
    }
}

impl Registry {
    pub(crate) fn new(state_root: &Path) -> Self {
        Self { root: state_root.to_owned(), dir: state_root.join("local/standing") }
    }

    /// The file of a record, whether it exists or not.
    pub(crate) fn path_of(&self, name: &SessionName) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }

    /// The folder of launch specs.
    pub(crate) fn launch_dir(&self) -> PathBuf {
        self.dir.join(".launch")
    }

    /// The folder of copies of records.
    fn copies_dir(&self) -> PathBuf {
        self.dir.join(".copies")
    }

    /// Reads one record.
    pub(crate) fn read(&self, name: &SessionName) -> Entry {
        match read_file(&self.path_of(name)) {
            Ok(None) => Entry::Vacant,
            Ok(Some(text)) => match Record::parse(&text, name) {
                Ok(record) => Entry::Recorded(Box::new(record)),
                Err(reason) => Entry::Unreadable(reason),
            },
            Err(error) => Entry::Unreadable(error.to_string()),
        }
    }

    /// The record of a name for a verb that must have it whole.
    pub(crate) fn read_whole(&self, name: &SessionName) -> Result<Option<Record>, Error> {
        match self.read(name) {
            Entry::Vacant => Ok(None),
            Entry::Recorded(record) => Ok(Some(*record)),
            Entry::Unreadable(reason) => Err(self.bad(name, reason)),
        }
    }

    pub(crate) fn bad(&self, name: &SessionName, reason: String) -> Error {
        Error::BadRecord { name: name.clone(), path: self.path_of(name), reason }
    }

    /// Every name that has a file, readable or not. A missing folder holds none.
    pub(crate) fn all(&self) -> Result<BTreeMap<SessionName, Entry>, Error> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(storage(&self.dir, "the records cannot be listed")(error)),
        };
        let names = entries.flatten().filter_map(|entry| {
            let file = entry.file_name();
            SessionName::parse(file.to_str()?.strip_suffix(".json")?).ok()
        });
        Ok(names
            .map(|name| (name.clone(), self.read(&name)))
            .filter(|(_, entry)| !matches!(entry, Entry::Vacant))
            .collect())
    }

    /// Makes the folder ready for a change, or refuses before anything was done.
    pub(crate) fn prepare(&self) -> Result<(), Error> {
        state_folder::make(&self.root)?;
        for dir in [self.dir.clone(), self.launch_dir(), self.copies_dir()] {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&dir)
                .map_err(storage(&dir, "the state folder cannot be made"))?;
            Self::check_private(&dir)?;
        }
        // Whoever may write in a folder above may put another one in the place of ours.
        for dir in self.dir.ancestors().skip(1).take(2) {
            Self::check_above(dir)?;
        }
        write::tidy(&self.dir);
        write::tidy(&self.launch_dir());
        write::tidy(&self.copies_dir());
        Ok(())
    }

    /// Whoever may write here may run commands as us: the folder must be ours alone to write.
    fn check_private(dir: &Path) -> Result<(), Error> {
        let meta = fs::symlink_metadata(dir).map_err(storage(dir, "the state folder cannot be looked at"))?;
        let refuse = |what: &str| {
            let said = format!("{what}; nothing was changed");
            Err(storage(dir, "the state folder cannot be trusted")(io::Error::new(
                io::ErrorKind::PermissionDenied,
                said,
            )))
        };
        if !meta.is_dir() {
            return refuse("it is no folder");
        }
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return refuse("it belongs to another user");
        }
        if meta.permissions().mode() & 0o022 != 0 {
            return refuse(&format!("others may write in it: `chmod go-w {}`", dir.display()));
        }
        Ok(())
    }

    /// The same for a folder above, which may have come from elsewhere: one of a group that is our own is let pass, as
    /// a umask of 002 makes them, and so is one whose entries only their owners can replace.
    fn check_above(dir: &Path) -> Result<(), Error> {
        let meta = fs::metadata(dir).map_err(storage(dir, "the state folder cannot be looked at"))?;
        let (mode, own_group) = (meta.permissions().mode(), meta.gid() == rustix::process::getegid().as_raw());
        let owner = [0, rustix::process::geteuid().as_raw()].contains(&meta.uid());
        let others_write = mode & 0o002 != 0 || (mode & 0o020 != 0 && !own_group);
        if owner && (!others_write || mode & 0o1000 != 0) {
            return Ok(());
        }
        let what = if owner {
            format!("others may write in it: `chmod go-w {}`", dir.display())
        } else {
            "it belongs to another user".to_owned()
        };
        let refused = io::Error::new(io::ErrorKind::PermissionDenied, format!("{what}; nothing was changed"));
        Err(storage(dir, "the state folder cannot be trusted")(refused))
    }

    /// Writes a record so that a crash leaves the old one or the new one, whole, and it outlasts a power loss.
    pub(crate) fn write(&self, record: &Record) -> Result<(), Error> {
        write::durable(&self.dir, &self.path_of(&record.name), record.to_json().as_bytes())?;
        self.keep_copy(record);
        Ok(())
    }

    /// Writes a record that a power loss may take back to its state before: for what is cheap to lose.
    pub(crate) fn write_lightly(&self, record: &Record) -> Result<(), Error> {
        write::atomic(&self.dir, &self.path_of(&record.name), record.to_json().as_bytes())?;
        self.keep_copy(record);
        Ok(())
    }

    /// Keeps a copy of a record, for what another program that rewrites the record drops of it. One that cannot be
    /// written leaves the record without it.
    fn keep_copy(&self, record: &Record) {
        if !record.of_another_program() {
            let _ = write::atomic(&self.copies_dir(), &self.copy_of(&record.name), record.to_json().as_bytes());
        }
    }

    fn copy_of(&self, name: &SessionName) -> PathBuf {
        self.copies_dir().join(format!("{name}.json"))
    }

    /// The record as this program last wrote it, if the record that stands now tells of the same start.
    pub(crate) fn copy_for(&self, now: &Record) -> Option<Record> {
        let text = read_file(&self.copy_of(&now.name)).ok()??;
        let told = |record: &Record| (record.created_at.clone(), record.started_at.clone());
        Record::parse(&text, &now.name).ok().filter(|copy| told(copy) == told(now))
    }

    /// Removes a record for good.
    pub(crate) fn remove(&self, name: &SessionName) -> Result<(), Error> {
        let _ = fs::remove_file(self.copy_of(name));
        let path = self.path_of(name);
        match fs::remove_file(&path) {
            // It is gone: that a power loss may bring it back is no reason to say that it is not.
            Ok(()) => {
                if let Err(error) = write::sync_dir(&self.dir) {
                    crate::notices::tell(format!("{error}: a power loss may bring a removed record back"));
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(storage(&path, "the record cannot be removed")(error)),
        }
    }
}

/// The text of a file; `None` if there is none. Links are not followed: one planted here would lead elsewhere.
fn read_file(path: &Path) -> io::Result<Option<String>> {
    let file = match open_plain(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MAX_RECORD + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_RECORD {
        return Err(io::Error::other("it is larger than any record"));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| io::Error::other(format!("it is not UTF-8 at byte {}", error.utf8_error().valid_up_to())))
}

pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    Ok(file)
}

/// A storage error at a path, as a function for `map_err`.
pub(crate) fn storage(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Storage { path, doing, source }
}
