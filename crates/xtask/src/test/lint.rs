//! Format check and lints of both halves, with warnings denied.

use std::process::{Command, Stdio};

use anyhow::Result;

use super::summary::Done;
use crate::english;
use crate::notes::Notes;
use crate::on_path;
use crate::project::Project;
use crate::step::{Step, say};
use crate::wasm::{compile, target};

/// Runs `cargo fmt --check`.
pub(crate) fn format(project: &Project) -> Result<Done> {
    if !component(project, "fmt", "rustfmt") {
        return Ok(missing("rustfmt"));
    }
    let mut command = project.cargo();
    command.args(["fmt", "--all", "--check"]);
    Step::new("checking the format", command).run()?;
    Ok(Done::Passed)
}

/// Checks user-facing texts for forbidden openings and phrases.
pub(crate) fn english(project: &Project) -> Result<Done> {
    let findings = english::findings(&project.root)?;
    Ok(if findings.is_empty() { Done::Passed } else { Done::Ran(false, findings) })
}

/// Lints all packages except the front end, which would enable the browser's features of `app` for all others.
pub(crate) fn server(project: &Project) -> Result<Done> {
    if !component(project, "clippy", "clippy") {
        return Ok(missing("clippy"));
    }
    let mut command = project.cargo();
    command.args(["clippy", "--workspace", "--exclude", &project.front.lib_package, "--all-targets"]);
    command.args(["--", "--deny", "warnings"]);
    Step::new("clippy on the server half", command).run()?;
    Ok(Done::Passed)
}

/// Lints the front end for its own target. Without clippy for that compiler, it checks that all code compiles without a
/// warning, and the lints run on the same code for this machine instead.
pub(crate) fn wasm(project: &Project) -> Result<Done> {
    let compiler = target::find_or_make(project, &mut Notes::open(project))?;
    let lints = component(project, "clippy", "clippy");
    if lints && compiler.has_clippy() {
        Step::new("clippy on the WASM half", compile::look(project, &compiler, "clippy")).run()?;
        return Ok(Done::Passed);
    }
    Step::new("checking the WASM half", compile::look(project, &compiler, "check")).run()?;
    if !lints {
        return Ok(missing("clippy"));
    }
    say("no clippy for WASM here: the lints run on the same code for this machine");
    let mut command = project.cargo();
    command.arg("clippy").args(compile::browser_code(project)).args(["--", "--deny", "warnings"]);
    Step::new("clippy on the WASM half's code", command).run()?;
    Ok(Done::Passed)
}

/// True if a part of the toolchain is installed, after one attempt to install it.
fn component(project: &Project, verb: &str, name: &str) -> bool {
    let there = || {
        let mut command: Command = project.cargo();
        command.args([verb, "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if there() {
        return true;
    }
    if on_path::find(&["rustup"]).is_none() {
        return false;
    }
    let mut command = project.program("rustup");
    command.args(["component", "add", name]);
    if let Err(error) = Step::new(format!("fetching {name}"), command).silent().limit(60).run() {
        say(format_args!("{error:#}"));
    }
    there()
}

fn missing(name: &str) -> Done {
    Done::Skipped(format!("this toolchain has no {name}: `rustup component add {name}`"))
}
