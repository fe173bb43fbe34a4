//! Compiles the front-end package to one WASM module.
//!
//! The module is what every visitor loads, so size comes first: std is built along with it where its source is there,
//! without the text of panics, source locations and `Debug` output. All that is an option that only some compilers
//! know, so it is given up, aloud, where std does not build with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::TRIPLE;
use super::target::Compiler;
use crate::notes::Notes;
use crate::project::Project;
use crate::step::{Step, say};

const SMALL_FLAGS: &str = "-Zunstable-options -Zlocation-detail=none -Zfmt-debug=none -Cpanic=immediate-abort";

/// How much of std is built along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Std {
    /// For size, without the text of panics.
    Small,
    /// As usual.
    Plain,
    /// Not at all: the toolchain has it.
    AsItComes,
}

/// Compiles, and tells where the module is. Cargo finds out itself that nothing changed.
pub(crate) fn compile(project: &Project, compiler: &Compiler, notes: &mut Notes) -> Result<PathBuf> {
    let note = format!("std for size with {}", compiler.version());
    let plain = if compiler.needs_std() { Std::Plain } else { Std::AsItComes };
    let profile = project.target.join("wasm").join(TRIPLE).join(&project.front.lib_profile_release);
    if !compiler.builds_std() || notes.has(&note) {
        step(project, compiler, plain).run()?;
    } else if let Err(error) = step(project, compiler, Std::Small).run() {
        // With std built, what failed is our own code, and would fail again.
        if std_was_built(&profile) {
            return Err(error);
        }
        say("std does not build for size here; going on with a larger bundle");
        step(project, compiler, plain).run()?;
        notes.add(&note)?;
    }
    Ok(profile.join(format!("{}.wasm", project.front.lib_package.replace('-', "_"))))
}

fn step(project: &Project, compiler: &Compiler, std: Std) -> Step {
    let mut command = compiler.cargo(project);
    command.args(["build", "--profile", &project.front.lib_profile_release, "--package", &project.front.lib_package]);
    prepare(&mut command, std);
    Step::new("building the WASM half", command)
}

/// A look at all the code that runs in the browser, warnings denied: `clippy`, or `check` where there is no clippy.
pub(crate) fn look(project: &Project, compiler: &Compiler, verb: &str) -> Command {
    let mut command = compiler.cargo(project);
    // The profile of the build, so that what runs at compile time is built once for both.
    command.args([verb, "--profile", &project.front.lib_profile_release]).args(browser_code(project));
    prepare(&mut command, if compiler.needs_std() { Std::Plain } else { Std::AsItComes });
    if verb == "clippy" {
        command.args(["--", "--deny", "warnings"]);
    } else {
        command.env("RUSTFLAGS", "-Dwarnings");
    }
    command
}

/// Selects the two packages that run in the browser, the way they run there.
pub(crate) fn browser_code(project: &Project) -> [&str; 6] {
    ["--package", &project.front.lib_package, "--package", "app", "--features", "app/hydrate"]
}

fn prepare(command: &mut Command, std: Std) {
    command.args(["--target", TRIPLE]);
    command.env("RUSTFLAGS", "");
    if std != Std::AsItComes {
        // `-Z` is refused by a stable compiler that is not told otherwise.
        command.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
    }
    if std == Std::Small {
        command.env("RUSTFLAGS", SMALL_FLAGS).arg("-Zbuild-std-features=optimize_for_size");
    }
}

fn std_was_built(profile: &Path) -> bool {
    std::fs::read_dir(profile.join("deps"))
        .is_ok_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
}
