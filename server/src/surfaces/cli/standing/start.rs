//! `standing start`: starts one session or all.

use engine::StandingApi;

use super::{Everyone, Output, Refusal, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing start ops
  the-loop standing start --all    start all sessions

Running sessions are left untouched. Stopped sessions resume their conversation.
An empty NAME is an error. Without NAME, the command applies to all sessions; scripts should use --all.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    whom: super::Whom,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = super::control(api, Everyone::Start, args.whom).await?;
    if report.sessions.is_empty() {
        output.err("no standing sessions to start: create one with `the-loop standing create NAME`\n");
    }
    Ok(report::print(&report, output))
}
