//! `the-loop config …`: the config file, for the person who writes it.

mod check;
mod edit;
mod init;
mod show;

use ::standing::{TheLoop, config::ConfigProblem};
use clap::Subcommand;
use serde::Serialize;

use super::{
    Output, Refusal, document,
    output::{DIM, Format, paint},
    sanitize,
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop config init       write a commented config file for this project
  the-loop config edit       edit it; a file with mistakes does not replace the one in use
  the-loop config check      check it
  the-loop config show       show every value in force, and where it comes from";

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Check the config
    #[command(after_help = check::EXAMPLES)]
    Check(check::Args),
    /// Show every value in force, and where it comes from
    #[command(after_help = show::EXAMPLES)]
    Show(show::Args),
    /// Edit the config in your editor
    #[command(after_help = edit::EXAMPLES)]
    Edit,
    /// Write a commented config file
    #[command(after_help = init::EXAMPLES)]
    Init(init::Args),
}

impl Verb {
    pub(super) fn run(&self, the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
        match self {
            Self::Check(args) => check::run(the_loop, args, output),
            Self::Show(args) => show::run(the_loop, args, output),
            Self::Edit => edit::run(the_loop, output),
            Self::Init(args) => init::run(the_loop, args, output),
        }
    }
}

/// Problem of a config, as JSON.
#[derive(Debug, Serialize)]
struct Found<'a> {
    line: Option<usize>,
    column: Option<usize>,
    key: &'a str,
    message: &'a str,
}

impl<'a> From<&'a ConfigProblem> for Found<'a> {
    fn from(problem: &'a ConfigProblem) -> Self {
        Self { line: problem.line, column: problem.column, key: &problem.key, message: &problem.message }
    }
}

/// Returns the problems for people, one a line.
fn lines(problems: &[ConfigProblem]) -> String {
    problems.iter().flat_map(|problem| [sanitize::line(&problem.to_string()), "\n".to_owned()]).collect()
}
