//! `standing stop`: stops one session or all, and keeps the data that the next start needs.

use engine::StandingApi;

use super::{Everyone, Output, Refusal, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing stop ops
  the-loop standing stop --all     stop all sessions

The harness gets time to save its conversation, so this can take a few seconds.
An empty NAME is an error. Without NAME, the command applies to all sessions; scripts should use --all.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    whom: super::Whom,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = super::control(api, Everyone::Stop, args.whom).await?;
    if report.sessions.is_empty() {
        output.err("no standing sessions to stop\n");
    }
    Ok(report::print(&report, output))
}
