//! `standing restart`: stops a session and starts it again, with the same conversation.

use wire::ControlVerb;

use super::{Output, Refusal, Verbs, control, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing restart ops";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    name: String,
}

pub(super) fn run(verbs: &dyn Verbs, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = control(verbs, ControlVerb::Restart, Some(args.name))?;
    Ok(report::print(&report, output))
}
