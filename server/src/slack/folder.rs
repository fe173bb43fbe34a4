//! The folder `<state.root>/channels`: files that are whole after any crash, ours alone to read, one writer at a time.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use standing::state_folder;

/// The folder of what is kept between runs.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

/// A lock, held until this is dropped. The kernel drops it with its holder, however that ends.
#[derive(Debug)]
pub(super) struct Held {
    _file: File,
}

impl Folder {
    /// The folder below a state root, made by whoever first writes.
    pub(super) fn below(state_root: &Path) -> Self {
        Self { path: state_root.join("channels") }
    }

    pub(super) fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Makes the folder ready for a change. Whoever may write here may put words into a session's mouth.
    pub(super) fn prepare(&self) -> io::Result<()> {
        if let Some(root) = self.path.parent() {
            state_folder::make(root).map_err(io::Error::other)?;
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        let meta = fs::symlink_metadata(&self.path)?;
        let ours = meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw();
        if !ours || meta.permissions().mode() & 0o022 != 0 {
            let told = format!("{}: it must be a folder that is ours alone to write in", self.path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, told));
        }
        Ok(())
    }

    /// The text of a file; empty if there is none. A link is not followed.
    pub(super) fn read(&self, file: &str) -> io::Result<String> {
        let opened = OpenOptions::new().read(true).custom_flags(flags()).open(self.path_of(file));
        match opened {
            Ok(mut opened) => {
                let mut text = String::new();
                io::Read::read_to_string(&mut opened, &mut text)?;
                Ok(text)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// Replaces a file: old or new, whole, after any crash. `durable` means new after a power loss as well.
    pub(super) fn write(&self, file: &str, text: &str, durable: bool) -> io::Result<()> {
        self.prepare()?;
        let mut written = tempfile::Builder::new().prefix(".writing-").tempfile_in(&self.path)?;
        written.write_all(text.as_bytes())?;
        if durable {
            written.as_file().sync_all()?;
        }
        written.persist(self.path_of(file)).map_err(|error| error.error)?;
        if durable { self.sync() } else { Ok(()) }
    }

    /// Opens a file to be added to.
    pub(super) fn append(&self, file: &str) -> io::Result<File> {
        self.prepare()?;
        let opened =
            OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags()).open(self.path_of(file))?;
        self.sync()?;
        Ok(opened)
    }

    /// Takes a lock at once, or `None` if another holds it.
    pub(super) fn try_lock(&self, file: &str) -> io::Result<Option<Held>> {
        self.prepare()?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags());
        let opened = options.open(self.path_of(file))?;
        match opened.try_lock() {
            Ok(()) => Ok(Some(Held { _file: opened })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

fn flags() -> i32 {
    (OFlags::NOFOLLOW | OFlags::CLOEXEC).bits().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_private_and_links_are_not_followed() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        assert_eq!(folder.read("a").expect("no file is an empty one"), "");
        folder.write("a", "text", true).expect("written");
        assert_eq!(folder.read("a").expect("read"), "text");
        let mode = |path: PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(folder.path_of("a")), mode(folder.path_of(""))), (0o600, 0o700));
        std::os::unix::fs::symlink("/etc/hostname", folder.path_of("b")).expect("a link");
        folder.read("b").expect_err("a link");
        folder.append("b").expect_err("a link");
        fs::set_permissions(folder.path_of(""), fs::Permissions::from_mode(0o770)).expect("changed");
        folder.write("a", "text", false).expect_err("others may write here");
    }

    #[test]
    fn one_holds_a_lock() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        let held = folder.try_lock("l").expect("opened").expect("free");
        assert!(folder.try_lock("l").expect("opened").is_none());
        drop(held);
        assert!(folder.try_lock("l").expect("opened").is_some(), "free again");
    }
}
