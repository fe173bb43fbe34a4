//! `standing delete`: stops a created session and removes its record. Asks for confirmation on a terminal.

use std::io::{self, IsTerminal as _};

use engine::StandingApi;
use wire::DeleteRequest;

use super::{Output, Refusal, given, report, sanitize};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing delete ops
  the-loop standing delete ops --yes      delete it without confirmation

Declared sessions cannot be deleted: remove the entry from the config, or stop the session.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Do not ask for confirmation (required without a terminal)
    #[arg(short, long)]
    yes: bool,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    if !args.yes && io::stdin().is_terminal() && !confirmed(&args.name, output) {
        output.err("nothing was deleted\n");
        return Ok(1);
    }
    let report = api.delete(&DeleteRequest { name: args.name }).await?;
    Ok(report::print(&report, output))
}

fn confirmed(name: &str, output: &mut Output) -> bool {
    output.err(&format!("Stop `{}` and remove its record with its conversation id? [y/N] ", sanitize::line(name)));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer).is_ok();
    read && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
