//! `standing start`: starts a session, or every session.

use engine::StandingApi;

use super::{Everyone, Output, Refusal, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing start ops
  the-loop standing start --all    every session

A session that runs is left untouched; one that was stopped goes on with its conversation.
An empty NAME is refused. No NAME at all means every session, as published; scripts should use --all.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    whom: super::Whom,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = super::control(api, Everyone::Start, args.whom).await?;
    if report.sessions.is_empty() {
        output.err("there is no standing session to start: `the-loop standing create NAME` makes one\n");
    }
    Ok(report::print(&report, output))
}
