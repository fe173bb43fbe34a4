//! Finds or installs a compiler for WASM, in this order.
//!
//! 1. The toolchain that runs this program has the target.
//! 2. Debian's compiler for the web is installed already.
//! 3. `rustup target add`, with a timeout: on a network that drops all packets it hangs forever.
//! 4. Debian's compiler is installed, if this is root on Debian.
//!
//! Failed steps are noted and not retried until `cargo xtask setup`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::TRIPLE;
use crate::notes::Notes;
use crate::project::Project;
use crate::step::{Step, say};
use crate::{apt, on_path};

const RUSTUP_LIMIT: u64 = 45;
/// Packages: `rustc-web` has the target, `rust-web-src` is the source of exactly its std, `lld-22` links.
const DEBIAN: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22"];
const DEBIAN_SOURCE: &str = "/usr/lib/rustlib/src/rust";

/// A compiler for WASM.
#[derive(Debug, Clone)]
pub(crate) enum Compiler {
    /// The toolchain that runs this program.
    Own {
        /// Output of `rustc --version`.
        version: String,
        /// True if std's source is available, so that std can be built for size as well.
        source: bool,
    },
    /// Debian's `rustc-web`, whose std for the target is built from its own source each time it changes.
    Debian {
        /// Output of `rustc --version`.
        version: String,
        /// Linker. rustc would look for it in a place where Debian has none.
        linker: PathBuf,
    },
}

impl Compiler {
    /// Returns the version of the compiler.
    pub(crate) fn version(&self) -> &str {
        match self {
            Self::Own { version, .. } | Self::Debian { version, .. } => version,
        }
    }

    /// True if std can be built along with the front end.
    pub(crate) fn builds_std(&self) -> bool {
        matches!(self, Self::Own { source: true, .. } | Self::Debian { .. })
    }

    /// True if std must be built along with the front end.
    pub(crate) fn needs_std(&self) -> bool {
        matches!(self, Self::Debian { .. })
    }

    /// True if the compiler has clippy, after one attempt to install Debian's separate package.
    pub(crate) fn has_clippy(&self) -> bool {
        match self {
            Self::Own { .. } => true,
            Self::Debian { .. } => {
                let driver = Path::new("/usr/bin/clippy-driver");
                on_path::executable(driver)
                    || apt::install("clippy for WASM", &["rust-web-clippy"]).is_ok() && on_path::executable(driver)
            }
        }
    }

    /// Returns its cargo, with a separate target folder, so that neither half waits for the other's lock.
    pub(crate) fn cargo(&self, project: &Project) -> Command {
        let mut command = match self {
            Self::Own { .. } => project.cargo(),
            Self::Debian { linker, .. } => {
                let mut command = project.program("/usr/bin/cargo");
                let path = std::env::var_os("PATH").unwrap_or_default();
                // Its own folder comes first: cargo looks for its sub-commands on PATH, where rustup's may come first.
                let path = std::iter::once(PathBuf::from("/usr/bin")).chain(std::env::split_paths(&path));
                if let Ok(path) = std::env::join_paths(path) {
                    command.env("PATH", path);
                }
                command
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                    .env_remove("RUSTUP_TOOLCHAIN");
                command
            }
        };
        command.env("CARGO_TARGET_DIR", project.target.join("wasm")).env_remove("CARGO_ENCODED_RUSTFLAGS");
        command
    }
}

/// Finds a compiler, or installs one.
pub(crate) fn find_or_make(project: &Project, notes: &mut Notes) -> Result<Compiler> {
    if let Some(own) = own(project) {
        return with_source(own, project, notes);
    }
    if let Some(debian) = debian(&project.rust_version) {
        say(format_args!("WASM target: Debian's {}", debian.version()));
        return Ok(debian);
    }
    if rustup(project, notes, &["target", "add", TRIPLE])?
        && let Some(own) = own(project)
    {
        return with_source(own, project, notes);
    }
    if let Err(error) = apt::install("a compiler for WASM", &DEBIAN) {
        bail!(
            "no compiler here can make WASM.\n  With rustup: `rustup target add {TRIPLE}`, then `cargo xtask setup`.\n  \
             On Debian 12: `sudo apt-get install --no-install-recommends {}`.\n  ({error:#})",
            DEBIAN.join(" ")
        );
    }
    match debian(&project.rust_version) {
        Some(debian) => {
            say(format_args!("WASM target: Debian's {}", debian.version()));
            Ok(debian)
        }
        None => bail!(
            "Debian's compiler was installed but cannot be used: `/usr/bin/rustc` must be {} or newer, with its source \
             in `{DEBIAN_SOURCE}` and `wasm-ld` beside it",
            project.rust_version
        ),
    }
}

/// Returns the toolchain on PATH, if it has the target.
fn own(project: &Project) -> Option<Compiler> {
    let sysroot = PathBuf::from(ask(project.program("rustc").args(["--print", "sysroot"]))?);
    let version = ask(project.program("rustc").arg("--version"))?;
    let libraries = std::fs::read_dir(sysroot.join("lib/rustlib").join(TRIPLE).join("lib")).ok()?;
    let std = libraries.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"));
    let source = has_source(&sysroot.join("lib/rustlib/src/rust"));
    std.then_some(Compiler::Own { version, source })
}

/// Adds std's source. It only makes the bundle smaller, so its absence is reported and not an error.
fn with_source(own: Compiler, project: &Project, notes: &mut Notes) -> Result<Compiler> {
    let found = if own.builds_std() || !rustup(project, notes, &["component", "add", "rust-src"])? {
        own
    } else {
        self::own(project).unwrap_or(own)
    };
    let std = if found.builds_std() { "std built for size" } else { "std as it comes: a bundle a quarter larger" };
    say(format_args!("WASM target: {} ({std})", found.version()));
    Ok(found)
}

/// Returns Debian's compiler, if it is installed, complete and new enough.
fn debian(oldest: &str) -> Option<Compiler> {
    let programs = ["/usr/bin/rustc", "/usr/bin/cargo"];
    if !programs.iter().all(|program| on_path::executable(Path::new(program))) || !has_source(Path::new(DEBIAN_SOURCE))
    {
        return None;
    }
    let version = ask(Command::new("/usr/bin/rustc").arg("--version"))?;
    let linker = newest_linker(Path::new("/usr/bin"))?;
    new_enough(&version, oldest).then_some(Compiler::Debian { version, linker })
}

fn has_source(rust: &Path) -> bool {
    rust.join("library/Cargo.lock").is_file()
}

/// Attempts one download with rustup. `false` means that it failed, now or before.
fn rustup(project: &Project, notes: &mut Notes, args: &[&str]) -> Result<bool> {
    let what = format!("rustup {}", args.join(" "));
    if notes.has(&what) || on_path::find(&["rustup"]).is_none() {
        return Ok(false);
    }
    let mut command = project.program("rustup");
    command.args(args);
    match Step::new(format!("`{what}`"), command).silent().limit(RUSTUP_LIMIT).run() {
        Ok(()) => Ok(true),
        Err(error) => {
            say(format_args!("{error:#}; going on without (`cargo xtask setup` tries again)"));
            notes.add(&what)?;
            Ok(false)
        }
    }
}

fn ask(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn newest_linker(folder: &Path) -> Option<PathBuf> {
    let names = std::fs::read_dir(folder).ok()?.flatten().map(|file| file.file_name());
    newest(names).map(|name| folder.join(name))
}

fn newest(names: impl Iterator<Item = OsString>) -> Option<OsString> {
    let number = |name: &OsString| name.to_str()?.strip_prefix("wasm-ld-")?.parse::<u32>().ok();
    names.filter(|name| number(name).is_some()).max_by_key(number)
}

/// Compares `rustc 1.96.0 (...)` with `1.95`.
fn new_enough(version: &str, oldest: &str) -> bool {
    let numbers = |text: &str| -> Option<(u32, u32)> {
        let mut parts = text.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    let have = version.split_whitespace().nth(1).and_then(numbers);
    matches!((have, numbers(oldest)), (Some(have), Some(oldest)) if have >= oldest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_new_enough_from_the_stated_version_on() {
        assert!(new_enough("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)", "1.95"));
        assert!(new_enough("rustc 1.95.0 (59807616e 2026-04-14)", "1.95"));
        assert!(new_enough("rustc 2.1.0 (x)", "1.95"));
        assert!(!new_enough("rustc 1.85.1 (x)", "1.95"));
        assert!(!new_enough("not a version", "1.95"));
        assert!(!new_enough("rustc 1.96.0", ""));
    }

    #[test]
    fn the_newest_linker_is_taken_by_number_not_by_spelling() {
        let names = ["wasm-ld-9", "wasm-ld-22", "wasm-ld", "wasm-ld-x", "lld-30"].map(OsString::from);
        assert_eq!(newest(names.into_iter()), Some("wasm-ld-22".into()));
        assert_eq!(newest(["wasm-ld"].map(OsString::from).into_iter()), None);
    }
}
