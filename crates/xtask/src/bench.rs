//! Size and speed of the release.

use anyhow::Result;

use crate::project::Project;
use crate::step::{Step, say};
use crate::{build, site};

/// `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Handed on to the benchmark.
    #[arg(last = true)]
    args: Vec<String>,
}

/// Measures a release build from nothing on two cores. Not part of a run: it takes minutes, and a busy machine spoils it.
const BUILD: &str = "CARGO_TARGET_DIR=$(mktemp -d) CARGO_INCREMENTAL=0 CARGO_BUILD_JOBS=2 taskset -c 0,1 time cargo xtask build --release";

/// Builds the release, prints its sizes, and runs the server package's example `bench`, which prints the table.
pub(crate) fn bench(project: &Project, args: &Args) -> Result<()> {
    let binary = build::build(project, &build::Args { release: true })?;
    println!("web: {}", site::sizes(&project.site())?);
    say(format_args!("to time a release build from nothing: {BUILD}"));
    let mut command = project.cargo();
    command.args(["run", "--release", "--package", &project.front.bin_package, "--example", "bench", "--"]);
    command.args(&args.args).env("THE_LOOP_BIN", &binary);
    Step::new("benchmark", command).run()
}
