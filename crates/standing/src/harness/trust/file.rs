//! A change to a file of another program: under its locks, and never over what was written in between.
//!
//! A program that takes no lock may write at any moment. So the new text is on disk before the file is touched, takes
//! its place only if the file is still the one that was read, and by an exchange, so that what was displaced can be
//! looked at and put back. What remains is a write that such a program had begun before ours and ends after it: it is
//! found by the look right before the spawn.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    time::{Duration, Instant},
};

use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

use super::{
    Act, Trust,
    lock::{Locked, Vendor},
};

/// For how long a file that others write all the time is tried again.
const PATIENCE: Duration = Duration::from_secs(10);

/// Changes a file that may be missing: `change` gets its text (empty for a missing or blank one), and gives the new one
/// or `None` if nothing was missing in it.
pub(super) fn edit(
    path: &Path,
    vendor: Vendor,
    act: Act,
    change: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<Trust, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    // A linked file stays linked: what is written is what the link leads to.
    let real = real_path(path).map_err(|error| at(&error))?;
    let changed = || {
        let found = Found::read(&real)?;
        let new = change(found.as_ref().map_or("", Found::text)).map_err(io::Error::other)?;
        Ok::<_, io::Error>(new.map(|new| (found, new)))
    };
    // Without the locks first: most often nothing is missing.
    match changed() {
        Ok(None) => return Ok(Trust::Given),
        Ok(Some(_)) if act == Act::Look => return Ok(Trust::Missing),
        Err(error) if act == Act::Look => return Err(at(&error)),
        // A program that writes in place may have been seen at it.
        Ok(Some(_)) | Err(_) => {}
    }
    fs::create_dir_all(real.parent().unwrap_or(Path::new("/"))).map_err(|error| at(&error))?;
    let _locked = Locked::take(path, &real, vendor).map_err(|error| at(&error))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let Some((found, new)) = changed().map_err(|error| at(&error))? else { return Ok(Trust::Given) };
        if replace(&real, found.as_ref(), &new).map_err(|error| at(&error))? {
            return Ok(Trust::Added);
        }
        if Instant::now() >= deadline {
            return Err(at(&"another program writes it all the time"));
        }
    }
}

/// Where a name leads to, also if nothing is there yet.
fn real_path(path: &Path) -> io::Result<std::path::PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::canonicalize(&path) {
            Ok(real) => return Ok(real),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Err(_) => match fs::read_link(&path) {
                Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
                Err(_) => break,
            },
        }
    }
    // Its folder may be a link though it is none.
    match (path.parent().and_then(|dir| fs::canonicalize(dir).ok()), path.file_name()) {
        (Some(dir), Some(name)) => Ok(dir.join(name)),
        _ => Ok(path),
    }
}

/// A file as it was read. It is kept open, so that no other file can get its number meanwhile.
struct Found {
    _file: File,
    meta: Metadata,
    text: String,
}

impl Found {
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // Order matters: what is written after this shows in the time.
        let meta = file.metadata()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(Some(Self { _file: file, meta, text }))
    }

    fn text(&self) -> &str {
        if self.text.trim().is_empty() { "" } else { &self.text }
    }

    /// Whether that is still the file that was read, and nobody has written to it.
    fn is(&self, path: &Path) -> bool {
        let Ok(now) = fs::symlink_metadata(path) else { return false };
        let of = |meta: &Metadata| (meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec());
        of(&now) == of(&self.meta)
    }
}

/// Puts a text in the place of what was read; false if that is not there any more.
fn replace(path: &Path, found: Option<&Found>, text: &str) -> io::Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    if let Some(found) = found {
        file.as_file().set_permissions(fs::Permissions::from_mode(found.meta.permissions().mode()))?;
    }
    file.as_file().sync_all()?;
    let Some(found) = found else {
        return match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        };
    };
    if !found.is(path) {
        return Ok(false);
    }
    let ours = file.as_file().metadata()?.ino();
    match exchange(file.path(), path) {
        Ok(()) => {}
        Err(Errno::NOENT) => return Ok(false),
        // A file system that cannot exchange two files.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            return file.persist(path).map(|_| true).map_err(|error| error.error);
        }
        Err(error) => return Err(error.into()),
    }
    let displaced = file.path().to_owned();
    if found.is(&displaced) {
        return Ok(true);
    }
    // Somebody else's was displaced, and goes back. If it was replaced yet again meanwhile, the newest one stays.
    exchange(&displaced, path)?;
    if fs::symlink_metadata(&displaced)?.ino() != ours {
        exchange(&displaced, path)?;
    }
    Ok(false)
}

fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use super::*;

    /// Adds a line, unless it is there.
    fn add(line: String) -> impl Fn(&str) -> Result<Option<String>, String> {
        move |text| Ok((!text.lines().any(|known| known == line)).then(|| format!("{text}{line}\n")))
    }

    /// What another program does that takes no lock: read, count up, write beside, rename.
    fn count_up(path: &Path) {
        let text = fs::read_to_string(path).expect("read");
        let (count, rest) = text.split_once('\n').expect("a first line");
        let count: u32 = count.parse().expect("a number");
        let beside = path.with_extension("theirs");
        fs::write(&beside, format!("{}\n{rest}", count + 1)).expect("written");
        fs::rename(&beside, path).expect("renamed");
    }

    #[test]
    fn every_one_of_32_is_added_under_both_names_of_the_file() {
        let dir = tempfile::tempdir().expect("made");
        let (file, link) = (dir.path().join("f"), dir.path().join("link"));
        symlink(&file, &link).expect("linked");
        thread::scope(|scope| {
            for number in 0..32 {
                let path = if number % 2 == 0 { &file } else { &link };
                scope.spawn(move || edit(path, Vendor::Folder, Act::Write, add(format!("d{number}"))).expect("added"));
            }
        });
        assert_eq!(fs::read_to_string(&file).expect("read").lines().count(), 32);
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 2, "no lock and no draft is left");
    }

    #[test]
    fn no_write_of_a_program_without_a_lock_is_lost() {
        let dir = tempfile::tempdir().expect("made");
        let file = dir.path().join("f");
        fs::write(&file, "0\n").expect("written");
        let done = AtomicBool::new(false);
        let rounds = thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut rounds = 0;
                while !done.load(Ordering::Relaxed) {
                    count_up(&file);
                    rounds += 1;
                    thread::sleep(Duration::from_millis(1));
                }
                rounds
            });
            for number in 0..64 {
                edit(&file, Vendor::Unlocked, Act::Write, add(format!("d{number}"))).expect("added");
            }
            done.store(true, Ordering::Relaxed);
            other.join().expect("ended")
        });
        let text = fs::read_to_string(&file).expect("read");
        assert_eq!(text.lines().next().expect("a line"), rounds.to_string());
    }

    #[test]
    fn a_look_writes_and_makes_nothing() {
        let dir = tempfile::tempdir().expect("made");
        let file = dir.path().join("sub/f");
        assert_eq!(edit(&file, Vendor::Folder, Act::Look, add("x".to_owned())).expect("looked"), Trust::Missing);
        assert!(!dir.path().join("sub").exists());
    }
}
