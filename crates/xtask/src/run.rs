//! Builds everything and runs the service in the foreground.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

use crate::project::Project;
use crate::{build, tmux};

/// `cargo xtask run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Optimised: what is shipped.
    #[arg(long)]
    release: bool,
    /// Handed on to `the-loop serve`.
    #[arg(last = true)]
    args: Vec<String>,
}

/// Builds, then executes the service in place of this process, so that its signals and exit status are its own.
pub(crate) fn run(project: &Project, args: &Args) -> Result<()> {
    tmux::find_or_install()?;
    let binary = build::build(project, &build::Args { release: args.release })?;
    // The service runs in the caller's folder and environment, since it is the caller's service.
    let error = Command::new(&binary).arg("serve").args(&args.args).exec();
    Err(error).with_context(|| format!("could not start `{}`", binary.display()))
}
