//! `standing restore`: restores the missing record of a running session.

use standing::TheLoop;

use super::{Output, Refusal, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing list           a session without a record is listed as `unrecorded`
  the-loop standing restore ops    restore its record, with its conversation

Records are lost when the state directory is removed, for example by `git clean -fdx`. A running session carries the
information to restore its record.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    name: String,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = the_loop.standing().restore(&args.name)?;
    Ok(report::print(&report, output))
}
