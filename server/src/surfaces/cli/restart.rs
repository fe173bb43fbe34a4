//! `the-loop restart`: stops everything, then starts the auto-start sessions and those that ran before.

use standing::{SessionName, TheLoop};
use wire::{LifecycleReport, Outcome};

use super::{
    Output, Refusal,
    lifecycle::{self, Half},
    serve::BindArgs,
    start, stop,
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop restart                    restart everything; conversations are resumed
  the-loop restart --service-only     restart only the service, as after an upgrade; sessions keep running";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    common: lifecycle::WhatAndHow,
    #[command(flatten)]
    bind: BindArgs,
}

pub(super) fn run(the_loop: &TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    // Sessions that an invalid config would keep from starting again are not stopped.
    the_loop.config().standing().map_err(|problems| {
        Refusal::mistake(format!("{problems}\nnothing was stopped; `the-loop stop` works with an invalid config"))
    })?;
    let (stopped, stop_code) = stop::stop(the_loop, &args.common);
    let only = (args.common.service_only, args.common.sessions_only);
    let services = if only.1 { Half::left_out() } else { start::service(the_loop, &args.bind.into(), only.0) };
    let sessions =
        if only.0 { Half::left_out() } else { lifecycle::sessions(the_loop.standing().start_again(&ran(&stopped))) };
    let (mut report, code) = lifecycle::join(services, sessions);
    report.ok &= stopped.ok;
    report.stopped = Some(Box::new(stopped));
    lifecycle::print(&report, args.common.format, output)?;
    lifecycle::announce(the_loop, &report, output);
    Ok(code.max(stop_code))
}

/// Returns the sessions that were stopped.
fn ran(stopped: &LifecycleReport) -> Vec<SessionName> {
    let taken_down = stopped.standing_sessions.iter().filter(|row| row.outcome == Some(Outcome::Stopped));
    taken_down.filter_map(|row| SessionName::parse(&row.name).ok()).collect()
}
