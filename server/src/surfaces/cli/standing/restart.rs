//! `standing restart`: stops a session and starts it again, with the same conversation.

use engine::StandingApi;
use wire::{ControlRequest, ControlVerb};

use super::{Output, Refusal, given, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing restart ops";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = api.control(&ControlRequest { name: args.name, verb: ControlVerb::Restart }).await?;
    Ok(report::print(&report, output))
}
