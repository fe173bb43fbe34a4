//! Edit of another program's file: under its locks, and never over a write that came in between.
//!
//! A program that takes no lock may write at any moment: [`files::replace`] describes the protection. One case remains,
//! a write that begins before this one and ends after it. The check right before the spawn finds it.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use files::replace::{self, Found, real_path};

use super::{
    Act, Trust,
    lock::{Locked, Vendor},
};

/// Time limit of retries for a file that others write constantly.
const PATIENCE: Duration = Duration::from_secs(10);

/// Edits a file that may be missing. `change` gets its text (empty for a missing or blank file) and returns the new
/// text, or `None` if nothing was missing in it.
pub(crate) fn edit(
    path: &Path,
    vendor: Vendor,
    act: Act,
    change: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<Trust, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    // A linked file stays linked: the link's target is written.
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
        // A program that writes in place may have been in the middle of a write.
        Ok(Some(_)) | Err(_) => {}
    }
    fs::create_dir_all(real.parent().unwrap_or(Path::new("/"))).map_err(|error| at(&error))?;
    let _locked = Locked::take(path, &real, vendor).map_err(|error| at(&error))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let Some((found, new)) = changed().map_err(|error| at(&error))? else { return Ok(Trust::Given) };
        if replace::if_unchanged(&real, found.as_ref(), &new).map_err(|error| at(&error))? {
            return Ok(Trust::Added);
        }
        if Instant::now() >= deadline {
            return Err(at(&"another program keeps changing it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use super::*;

    /// Adds a line, unless it exists.
    fn add(line: String) -> impl Fn(&str) -> Result<Option<String>, String> {
        move |text| Ok((!text.lines().any(|known| known == line)).then(|| format!("{text}{line}\n")))
    }

    /// Imitates another program that takes no lock: reads, increments, writes beside, renames.
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
