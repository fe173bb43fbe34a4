//! `standing restore`: brings back the record of a running session whose record is gone.

use standing::TheLoop;

use super::{Output, Refusal, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing list           a session whose record is gone is `unrecorded`
  the-loop standing restore ops    and is managed again, with its conversation

A record is lost when the state folder is removed, as `git clean -fdx` does. The session itself knows what it is.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    name: String,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = the_loop.standing().restore(&args.name)?;
    Ok(report::print(&report, output))
}
