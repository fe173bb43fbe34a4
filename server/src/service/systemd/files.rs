//! Files of the units.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use files::write::{self, Durability};
use standing::{Surroundings, TheLoop};

use super::{
    SERVICE, SESSIONS, SOCKET, Units,
    text::{FIRST_LINE, begins_with, config_home},
};

/// Folder of this user's units.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

/// A unit of that name that the-loop did not write.
#[derive(Debug)]
pub(crate) struct NotOurs(pub(crate) PathBuf);

impl Files {
    /// Returns the unit files of the user; `None` without a home.
    pub(crate) fn of(here: &Surroundings) -> Option<Self> {
        Some(Self { folder: config_home(here)?.join("systemd/user") })
    }

    pub(crate) fn service(&self) -> PathBuf {
        self.folder.join(SERVICE)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join(SOCKET)
    }

    /// True if the-loop wrote the service's unit, for this instance's config.
    pub(crate) fn are_of(&self, the_loop: &TheLoop) -> bool {
        let text = fs::read_to_string(self.service()).unwrap_or_default();
        let config = the_loop.config();
        text.starts_with(FIRST_LINE) && begins_with(&text, config.path.file())
    }

    fn all(&self) -> [PathBuf; 3] {
        [SERVICE, SESSIONS, SOCKET].map(|name| self.folder.join(name))
    }

    /// Returns the existing units. Fails if the-loop did not write one of them, since it must not be changed.
    pub(crate) fn ours(&self) -> Result<Vec<PathBuf>, NotOurs> {
        let mut found = Vec::new();
        for path in self.all() {
            if path.symlink_metadata().is_err() {
                continue;
            }
            if !fs::read_to_string(&path).is_ok_and(|text| text.starts_with(FIRST_LINE)) {
                return Err(NotOurs(path));
            }
            found.push(path);
        }
        Ok(found)
    }

    /// Writes the units, each atomically. A socket unit that is no longer wanted is removed.
    pub(crate) fn write(&self, units: &Units) -> io::Result<Vec<PathBuf>> {
        fs::create_dir_all(&self.folder)?;
        let [service, sessions, socket] = self.all();
        put(&service, &units.service)?;
        put(&sessions, &units.sessions)?;
        let mut written = vec![service, sessions];
        match &units.socket {
            Some(text) => {
                put(&socket, text)?;
                written.push(socket);
            }
            None => remove(&socket)?,
        }
        Ok(written)
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        self.all().iter().try_for_each(|path| remove(path))
    }
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    // The unit contains no secret, and a manager of another kind may need to read it.
    write::replace_with_mode(path, text.as_bytes(), Durability::PowerLoss, 0o644).map(drop).map_err(io::Error::other)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
