//! Registry: one record per session, `<state.root>/local/standing/<name>.json`.
//!
//! Writes are atomic and durable. An unreadable file is never overwritten and never hides the others. A verb that
//! changes a session holds its lock throughout. This module does not know tmux.

mod lock;
mod record;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use files::{
    folder::{self, Distrust},
    read,
    write::{self, Durability, Synced},
};
use wire::SessionName;

pub(crate) use lock::{Hold, LockWait};
pub(crate) use record::{Origin, Pending, Phase, Record, RecordStatus, Server, WITHOUT_NAMES};

use crate::{Error, error::storage, notices, parallel, state_folder};

/// Maximum size of a record in bytes. Records are small: a larger file is not one.
const MAX_RECORD: usize = 4 * 1024 * 1024;

/// Folder of records.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    root: PathBuf,
    dir: PathBuf,
}

/// State of a name in the registry.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// No file.
    Vacant,
    /// A record.
    Recorded(Box<Record>),
    /// A file that cannot be read as a record, with the reason. The name is not free.
    Unreadable(String),
}

impl Entry {
    /// Returns the record, if there is one.
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

    /// Returns the path of a record's file, which may not exist.
    pub(crate) fn path_of(&self, name: &SessionName) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }

    /// Returns the folder of records.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the folder of launch specs.
    pub(crate) fn launch_dir(&self) -> PathBuf {
        self.dir.join(".launch")
    }

    /// Returns the folder of launch settings and of what hooks report.
    pub(crate) fn hooks_dir(&self) -> PathBuf {
        self.dir.join(".hooks")
    }

    /// Returns the folder of copies of records.
    fn copies_dir(&self) -> PathBuf {
        self.dir.join(".copies")
    }

    /// Reads one record.
    pub(crate) fn read(&self, name: &SessionName) -> Entry {
        match read::text_if_there(&self.path_of(name), MAX_RECORD) {
            Ok(None) => Entry::Vacant,
            Ok(Some(text)) => match Record::parse(&text, name) {
                Ok(record) => Entry::Recorded(Box::new(record)),
                Err(reason) => Entry::Unreadable(reason),
            },
            Err(error) => Entry::Unreadable(error.to_string()),
        }
    }

    /// Reads the record of a name; fails if the file is unreadable.
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

    /// Lists every name that has a file, readable or not. A missing folder is empty.
    pub(crate) fn names(&self) -> Result<BTreeSet<SessionName>, Error> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(storage(&self.dir, "could not list the records")(error)),
        };
        let names = entries.flatten().filter_map(|entry| {
            let file = entry.file_name();
            SessionName::parse(file.to_str()?.strip_suffix(".json")?).ok()
        });
        Ok(names.collect())
    }

    /// Reads every name that has a file, readable or not.
    pub(crate) fn all(&self) -> Result<BTreeMap<SessionName, Entry>, Error> {
        let names: Vec<SessionName> = self.names()?.into_iter().collect();
        let entries = parallel::map(&names, |name| self.read(name));
        Ok(names.into_iter().zip(entries).filter(|(_, entry)| !matches!(entry, Entry::Vacant)).collect())
    }

    /// Prepares the folder for a change, or refuses before any change.
    pub(crate) fn prepare(&self) -> Result<(), Error> {
        state_folder::make(&self.root)?;
        for dir in [self.dir.clone(), self.launch_dir(), self.hooks_dir(), self.copies_dir()] {
            folder::make(&dir).map_err(storage(&dir, "could not create the state directory"))?;
            folder::check(&dir).map_err(|found| distrusted(&dir, found))?;
        }
        // A user who can write in a folder above could replace this one.
        for dir in self.dir.ancestors().skip(1).take(2) {
            folder::check_above(dir).map_err(|found| distrusted(dir, found))?;
        }
        write::tidy(&self.dir);
        write::tidy(&self.launch_dir());
        write::tidy(&self.hooks_dir());
        write::tidy(&self.copies_dir());
        Ok(())
    }

    /// Writes a record durably: after a crash the old or the new record is there, whole, and the new one survives a
    /// power loss.
    pub(crate) fn write(&self, record: &Record) -> Result<(), Error> {
        durable(&self.path_of(&record.name), record.to_json().as_bytes())?;
        self.keep_copy(record);
        Ok(())
    }

    /// Writes a record that a power loss may revert: for data that is cheap to lose.
    pub(crate) fn write_lightly(&self, record: &Record) -> Result<(), Error> {
        atomic(&self.path_of(&record.name), record.to_json().as_bytes())?;
        self.keep_copy(record);
        Ok(())
    }

    /// Keeps a copy of a record, because another program that rewrites the record drops keys. If the copy cannot be
    /// written, the record has none.
    fn keep_copy(&self, record: &Record) {
        if !record.of_another_program() {
            let _ = atomic(&self.copy_of(&record.name), record.to_json().as_bytes());
        }
    }

    fn copy_of(&self, name: &SessionName) -> PathBuf {
        self.copies_dir().join(format!("{name}.json"))
    }

    /// Returns the record as this program last wrote it, if the current record is of the same start.
    pub(crate) fn copy_for(&self, now: &Record) -> Option<Record> {
        let text = read::text_if_there(&self.copy_of(&now.name), MAX_RECORD).ok()??;
        let told = |record: &Record| (record.created_at.clone(), record.started_at.clone());
        Record::parse(&text, &now.name).ok().filter(|copy| told(copy) == told(now))
    }

    /// Removes a record permanently.
    pub(crate) fn remove(&self, name: &SessionName) -> Result<(), Error> {
        let _ = fs::remove_file(self.copy_of(name));
        let path = self.path_of(name);
        match fs::remove_file(&path) {
            // The record is removed. That a power loss may bring it back is not a reason to report an error.
            Ok(()) => {
                match folder::sync(&self.dir) {
                    Ok(synced) => tell_of(&self.dir, &synced),
                    Err(error) => notices::tell(format!(
                        "{}: {error}: a power loss may bring a removed record back",
                        self.dir.display()
                    )),
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(storage(&path, "could not remove the record")(error)),
        }
    }
}

fn distrusted(dir: &Path, found: Distrust) -> Error {
    match found {
        Distrust::Unseen(error) => storage(dir, "could not inspect the state directory")(error),
        found => {
            let refused = io::Error::new(io::ErrorKind::PermissionDenied, format!("{found}; nothing was changed"));
            storage(dir, "could not trust the state directory")(refused)
        }
    }
}

/// Replaces a file of the registry: after a crash of this program the old or the new one is there, whole.
pub(crate) fn atomic(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let _nothing_to_sync = write::replace(path, bytes, Durability::Crash)?;
    Ok(())
}

/// Replaces a file of the registry so that the new one survives a power loss.
pub(crate) fn durable(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let synced = write::replace(path, bytes, Durability::PowerLoss)?;
    tell_of(path.parent().unwrap_or(path), &synced);
    Ok(())
}

/// Reports once that a file system does not write to disk on request.
fn tell_of(dir: &Path, synced: &Synced) {
    if let Synced::NotOffered(error) = synced {
        notices::tell(format!(
            "{}: this file system cannot sync to disk ({error}): a power loss may undo the last record changes",
            dir.display()
        ));
    }
}
