//! Table of the tested faults, written by a run of the tests: `docs/faults.md`.
//!
//! A test belongs to a numbered row by its name, `row_NN_…`, in any package. A row of the other two parts names its
//! tests. A row passes if all its tests pass. A test that prints `SKIPPED row NN: why`, or its own name instead of the
//! row, was not run, and its row says so.

mod promises;
mod results;
#[cfg(test)]
mod sources;
mod table;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::project::Project;
use crate::step::{Step, say};
use promises::PARTS;
use results::Results;

/// Test programs with tests for rows, beside the libraries' own.
const PROGRAMS: [&str; 4] = ["faults", "faults_delivery", "surfaces", "slack"];

/// Folders of their sources, and of the libraries.
#[cfg(test)]
const FOLDERS: [&str; 4] = ["crates/standing", "server", "app/src", "crates/wire/src"];

/// `cargo xtask faults`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs them for as long as their rows ask for, rather than for as long as a test run should take.
    #[arg(long)]
    long: bool,
}

/// Runs the tests of all rows and writes the table. Fails if a test failed or a row has none.
pub(crate) fn faults(project: &Project, args: &Args) -> Result<()> {
    let mut results = Results::default();
    // Silent, since tests write past the runner to standard error.
    let step = Step::new("the faults", command(project, args.long)).silent().limit(7200);
    let outcome = step.run_with(|line| results.take(line))?;
    println!("{}", table::summary(&results));
    for line in results.skipped() {
        println!("{line}");
    }
    if !outcome.success() {
        bail!("a test failed; the table was left as it was");
    }
    let untested = table::untested(&results);
    if !untested.is_empty() {
        bail!("no test was run for: {}; the table was left as it was", untested.join(", "));
    }
    let file = table_file(&project.root);
    std::fs::write(&file, table::write(&results, &surroundings())).with_context(|| file.display().to_string())?;
    say(format_args!("wrote {}", file.display()));
    Ok(())
}

/// Returns the command that runs all tests of rows, and no other test.
fn command(project: &Project, long: bool) -> Command {
    let mut command = project.cargo();
    command.args(["test", "--no-fail-fast", "--package", "standing", "--package", "app"]);
    command.args(["--package", &project.front.bin_package, "--lib"]);
    command.args(PROGRAMS.iter().flat_map(|program| ["--test", program]));
    command.args(["--", "row_"]);
    command.args(PARTS.iter().flat_map(|part| part.promises).flat_map(|promise| promise.tests));
    if long {
        command.env("THE_LOOP_FAULTS", "long");
    }
    command
}

/// Describes the environment of the run, besides the project.
fn surroundings() -> String {
    let said = |program: &str, arg: &str| {
        let output = Command::new(program).arg(arg).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let parts = [said("tmux", "-V"), said("uname", "-s")];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn table_file(root: &Path) -> PathBuf {
    root.join("docs/faults.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_the_tests_there_are() {
        let project = Project::find().expect("the workspace of this test");
        // Assumes that each test was run and passed: apart from the results, this is the expected table.
        let mut results = Results::default();
        for test in sources::tests(&FOLDERS.map(|folder| project.root.join(folder))) {
            results.take(&format!("test {test} ... ok"));
        }
        assert_eq!(table::untested(&results), [] as [String; 0]);
        let file = std::fs::read_to_string(table_file(&project.root)).expect("docs/faults.md");
        let written = table::write(&results, "");
        let (stands, wanted) = (table::promised(&file), table::promised(&written));
        assert_eq!(stands, wanted, "`cargo xtask faults` updates docs/faults.md");
    }
}
