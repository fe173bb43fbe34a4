//! Builds both halves: first the WASM half, which the server then embeds.

use std::path::PathBuf;

use anyhow::Result;

use crate::project::Project;
use crate::step::{Step, say};
use crate::wasm;

/// `cargo xtask build`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Optimised: what is shipped.
    #[arg(long)]
    pub(crate) release: bool,
}

/// Builds, and returns the path of the binary.
pub(crate) fn build(project: &Project, args: &Args) -> Result<PathBuf> {
    wasm::build(project)?;
    let mut command = project.cargo();
    command.args(["build", "--package", &project.front.bin_package, "--bin", &project.front.bin_target]);
    if args.release {
        command.arg("--release");
    }
    Step::new("building the server", command).run()?;
    let binary = project.binary(args.release);
    say(format_args!("built: {}", binary.display()));
    Ok(binary)
}
