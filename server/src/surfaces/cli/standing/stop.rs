//! `standing stop`: stops a session, or every session, and keeps what the next start needs.

use engine::StandingApi;

use super::{Everyone, Output, Refusal, report};

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

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = super::control(api, Everyone::Stop, args.whom).await?;
    if report.sessions.is_empty() {
        output.err("there is no standing session to stop\n");
    }
    Ok(report::print(&report, output))
}
