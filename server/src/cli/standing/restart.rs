//! `standing restart`: stops a session and starts it again, with the same conversation.

use standing::TheLoop;
use wire::ControlVerb;

use super::{Output, Refusal, control, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing restart ops";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    name: String,
}

pub(super) fn run(the_loop: &TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = control(the_loop, ControlVerb::Restart, Some(args.name))?;
    Ok(report::print(&report, output))
}
