//! `cargo xtask`: builds, runs, tests and measures the project, from a fresh checkout.
//!
//! Each command has its own file. A command finds the tools that a step needs, installs them where it may, and
//! otherwise prints the command to type. It must not know the product's behaviour: it only starts `the-loop`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a build program talks to the terminal it runs in")]

mod apt;
mod bench;
mod build;
mod chromium;
mod circles;
mod english;
mod faults;
mod notes;
mod npm;
mod on_path;
mod project;
mod python;
mod run;
mod setup;
mod site;
mod step;
mod style;
mod terminal;
mod test;
mod texts;
mod tmux;
mod wasm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::project::Project;

/// Builds, runs, tests and measures the-loop.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Finds or makes everything the other commands need: the WASM target, tmux, Chromium.
    Setup(setup::Args),
    /// Builds both halves: `target/{debug,release}/the-loop`, web assets inside.
    Build(build::Args),
    /// Builds, then runs the service in the foreground.
    Run(run::Args),
    /// Format check, lints on both targets, all tests, and the browser tests.
    Test(test::Args),
    /// Brings about what can go wrong, row by row, and writes `docs/faults.md`.
    Faults(faults::Args),
    /// Checks that no files of a crate import each other in a circle.
    Circles,
    /// Writes the golden files of all texts that a user sees, `docs/texts/`.
    Texts,
    /// Checks the English of what users read.
    English,
    /// Sizes of what is shipped, and the benchmarks.
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let Args { command } = Args::parse();
    let done = Project::find().and_then(|project| match command {
        Verb::Setup(args) => setup::setup(&project, &args),
        Verb::Build(args) => build::build(&project, &args).map(drop),
        Verb::Run(args) => run::run(&project, &args),
        Verb::Test(args) => test::test(&project, &args),
        Verb::Faults(args) => faults::faults(&project, &args),
        Verb::Circles => circles::check(&project),
        Verb::Texts => texts::texts(&project),
        Verb::English => english::english(&project),
        Verb::Bench(args) => bench::bench(&project, &args),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
