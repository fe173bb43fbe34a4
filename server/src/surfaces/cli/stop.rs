//! `the-loop stop`: stops the sessions first, because they may be using the service, and then the service.

use standing::TheLoop;
use wire::{LifecycleReport, ServiceOutcome, ServiceRow};

use super::{
    Output, Refusal,
    lifecycle::{self, Half},
    sanitize,
};
use crate::service;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop stop                     stop all recorded sessions, then the service
  the-loop stop --service-only      stop only the service; sessions keep running

Conversations are kept, and the next start resumes them. `stop` also works with an invalid config, unless a config
file was given and could not be read.";

pub(super) fn run(the_loop: &TheLoop, args: &lifecycle::WhatAndHow, output: &mut Output) -> Result<u8, Refusal> {
    usable(the_loop, output)?;
    let (report, code) = stop(the_loop, args);
    lifecycle::print(&report, args.format, output)?;
    Ok(code)
}

/// Accepts an invalid config with a warning; refuses if a named config cannot be read.
pub(super) fn usable(the_loop: &TheLoop, output: &mut Output) -> Result<(), Refusal> {
    let config = the_loop.config();
    config.stopping().map_err(standing::Error::from)?;
    if let Some(problem) = config.problems.first() {
        let words = sanitize::text(&problem.to_string());
        output.err(&format!("the config is invalid; stopping recorded sessions anyway: {words}\n"));
    }
    Ok(())
}

pub(super) fn stop(the_loop: &TheLoop, args: &lifecycle::WhatAndHow) -> (LifecycleReport, u8) {
    let sessions =
        if args.service_only { Half::left_out() } else { lifecycle::sessions(the_loop.standing().stop_all()) };
    // The service is stopped even if stopping the sessions failed.
    let services = if args.sessions_only { Half::left_out() } else { service(the_loop) };
    lifecycle::join(services, sessions)
}

fn service(the_loop: &TheLoop) -> Half<ServiceRow> {
    let (outcome, detail) = service::stop::stop(the_loop);
    let row = ServiceRow { outcome: Some(outcome), detail, ..lifecycle::service_row(the_loop) };
    Half { rows: vec![row], code: u8::from(outcome == ServiceOutcome::Failed) }
}
