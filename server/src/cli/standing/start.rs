//! `standing start`: starts a session, or all.

use wire::ControlVerb;

use super::{Output, Refusal, Verbs, control, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing start ops
  the-loop standing start          all of them

A session that runs is left untouched; one that was stopped goes on with its conversation.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session; all if none is given
    name: Option<String>,
}

pub(super) fn run(verbs: &dyn Verbs, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let report = control(verbs, ControlVerb::Start, args.name)?;
    if report.sessions.is_empty() {
        output.err("there is no standing session to start: `the-loop standing create NAME` makes one\n");
    }
    Ok(report::print(&report, output))
}
