//! `standing restart`: stops a session and starts it again, with the same conversation.

use wire::{ControlRequest, ControlVerb};

use super::{Output, Refusal, Verbs, given, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing restart ops";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
}

pub(super) fn run(verbs: &dyn Verbs, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = verbs.control(&ControlRequest { name: args.name, verb: ControlVerb::Restart })?;
    Ok(report::print(&report, output))
}
