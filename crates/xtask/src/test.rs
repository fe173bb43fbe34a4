//! Runs all checks in one command. A failed stage does not stop the later ones.

mod browser;
mod cargo;
mod interop;
mod lint;
mod schemathesis;
mod summary;

use anyhow::Result;

use crate::project::Project;
use crate::test::summary::{Done, Summary};
use crate::{circles, tmux, wasm};

/// `cargo xtask test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs the tests that install and drive the real agents, too.
    #[arg(long)]
    agents: bool,
    /// Runs the original's command line and the MCP inspector against the service, too.
    #[arg(long)]
    interop: bool,
    /// Only the tests whose name has this in it, and no format check or lints.
    filter: Option<String>,
}

/// Runs all stages and prints their results; fails if one of them failed.
pub(crate) fn test(project: &Project, args: &Args) -> Result<()> {
    let filter = args.filter.as_deref();
    let mut summary = Summary::default();
    if filter.is_none() {
        summary.stage("format", || lint::format(project));
        summary.stage("import circles", || circles::check(project).map(|()| Done::Passed));
        summary.stage("plain English", || lint::english(project));
        summary.stage("clippy, server half", || lint::server(project));
        summary.stage("clippy, WASM half", || lint::wasm(project));
    }
    summary.stage("tmux", || tmux::find_or_install().map(|()| Done::Passed));
    let mut built = false;
    summary.stage("build", || {
        wasm::build(project)?;
        cargo::build(project)?;
        built = true;
        Ok(Done::Passed)
    });
    if built {
        summary.stage("cargo tests", || cargo::tests(project, filter, args.agents));
        if filter.is_none_or(|filter| "schemathesis".contains(filter)) {
            summary.stage("schemathesis", || schemathesis::tests(project));
        }
        if args.interop {
            summary.stage("interoperability", || interop::tests(project));
        }
        summary.stage("browser tests", || browser::tests(project, filter));
    }
    summary.print()
}
