//! `standing stop`: stops a session, or all, and keeps what the next start needs.

use wire::ControlVerb;

use super::{Output, Refusal, Verbs, control, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing stop ops
  the-loop standing stop           all of them

The harness is asked to leave and given time to save its conversation, so this can take some seconds.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session; all if none is given
    name: Option<String>,
}

pub(super) fn run(verbs: &dyn Verbs, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = control(verbs, ControlVerb::Stop, args.name)?;
    if report.sessions.is_empty() {
        output.err("there is no standing session to stop\n");
    }
    Ok(report::print(&report, output))
}
