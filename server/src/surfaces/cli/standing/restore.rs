//! `standing restore`: restores the missing record of a running session.

use standing::TheLoop;

use super::{Output, Refusal, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing list           a session without a record is listed as `unrecorded`
  the-loop standing restore ops    restore its record, with its conversation

Records are lost when the state directory is removed, for example by `git clean -fdx`. A running
session carries a copy of its record, without environment variables, secrets and brief, because
other users can read that copy. The output names what was not restored. To have it at the next
start, declare the session in the config. Sessions that the config declares lose nothing.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    name: String,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = the_loop.standing().restore(&args.name)?;
    Ok(report::print(&report, output))
}
