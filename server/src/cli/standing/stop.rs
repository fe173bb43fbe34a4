//! `standing stop`: stops a session, or every session, and keeps what the next start needs.

use super::{Everyone, Output, Refusal, Verbs, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing stop ops
  the-loop standing stop --all     every session

The harness is asked to leave and given time to save its conversation, so this can take some seconds.
An empty NAME is refused. No NAME at all means every session, as published; scripts should use --all.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    whom: super::Whom,
}

pub(super) fn run(verbs: &dyn Verbs, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = super::control(verbs, Everyone::Stop, args.whom)?;
    if report.sessions.is_empty() {
        output.err("there is no standing session to stop\n");
    }
    Ok(report::print(&report, output))
}
