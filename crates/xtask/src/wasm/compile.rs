//! Compiles the front-end package to one WASM module.
//!
//! Every visitor loads the module, so size comes first. If std's source is available, std is built as well, without the
//! text of panics, source locations and `Debug` output. Only some compilers have these options. If std does not build
//! with them, they are dropped with a message.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::TRIPLE;
use super::target::Compiler;
use crate::notes::Notes;
use crate::project::Project;
use crate::step::{Step, say};

const SMALL_FLAGS: &str = "-Zunstable-options -Zlocation-detail=none -Zfmt-debug=none -Cpanic=immediate-abort";

/// Build of std.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Std {
    /// Built for size, without the text of panics.
    Small,
    /// Built as usual.
    Plain,
    /// Not built: the toolchain has it.
    AsItComes,
}

/// Compiles, and returns the path of the module. Cargo itself detects that nothing changed.
pub(crate) fn compile(project: &Project, compiler: &Compiler, notes: &mut Notes) -> Result<PathBuf> {
    let note = format!("std for size with {}", compiler.version());
    let plain = if compiler.needs_std() { Std::Plain } else { Std::AsItComes };
    let profile = project.target.join("wasm").join(TRIPLE).join(&project.front.lib_profile_release);
    if !compiler.builds_std() || notes.has(&note) {
        step(project, compiler, plain).run()?;
    } else if let Err(error) = step(project, compiler, Std::Small).run() {
        // std was built, so the failure is in the project's own code and would repeat.
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

/// Checks all code that runs in the browser, with warnings denied: `clippy`, or `check` if there is no clippy.
pub(crate) fn look(project: &Project, compiler: &Compiler, verb: &str) -> Command {
    let mut command = compiler.cargo(project);
    // The build's profile, so that compile-time code is built once for both.
    command.args([verb, "--profile", &project.front.lib_profile_release]).args(browser_code(project));
    prepare(&mut command, if compiler.needs_std() { Std::Plain } else { Std::AsItComes });
    if verb == "clippy" {
        command.args(["--", "--deny", "warnings"]);
    } else {
        command.env("RUSTFLAGS", "-Dwarnings");
    }
    command
}

/// Selects the two packages that run in the browser, with their browser features.
pub(crate) fn browser_code(project: &Project) -> [&str; 6] {
    ["--package", &project.front.lib_package, "--package", "app", "--features", "app/hydrate"]
}

fn prepare(command: &mut Command, std: Std) {
    command.args(["--target", TRIPLE]);
    command.env("RUSTFLAGS", "");
    if std != Std::AsItComes {
        // A stable compiler refuses `-Z` without this variable.
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
