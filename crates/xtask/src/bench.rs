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

/// Builds the release, prints its sizes, and runs the server package's example `bench` if it has one.
pub(crate) fn bench(project: &Project, args: &Args) -> Result<()> {
    let binary = build::build(project, &build::Args { release: true })?;
    let size = std::fs::metadata(&binary)?.len();
    println!("binary: {}", site::kilobytes(size));
    println!("web: {}", site::sizes(&project.site())?);
    if !project.root.join("server/examples/bench/main.rs").is_file() {
        say("no benchmark yet: `server/examples/bench/main.rs` does not exist");
        return Ok(());
    }
    let mut command = project.cargo();
    command.args(["run", "--release", "--package", &project.front.bin_package, "--example", "bench", "--"]);
    command.args(&args.args).env("THE_LOOP_BIN", &binary);
    Step::new("benchmark", command).run()
}
