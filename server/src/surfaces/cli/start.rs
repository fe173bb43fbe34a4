//! `the-loop start`: starts the service in the background, then the auto-start sessions.

use standing::TheLoop;
use wire::{ServiceOutcome, ServiceRow};

use super::{
    Output, Refusal,
    lifecycle::{self, Half},
    output::Format,
    sanitize,
    serve::BindArgs,
};
use crate::{service::background, service::serve::Bind};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop start                    start the service and all auto-start sessions
  the-loop start --service-only     start only the service
  the-loop start --format json      print one JSON document

Running sessions are left untouched. Declared sessions start if `standingSessions.enabled` and their `autoStart` are
true; created sessions start unless they were created with --no-auto-start. `the-loop plan` shows it in advance.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    common: lifecycle::WhatAndHow,
    #[command(flatten)]
    bind: BindArgs,
}

impl Args {
    /// True if sessions are started as well.
    pub(super) fn starts_sessions(&self) -> bool {
        !self.common.service_only
    }
}

pub(super) fn run(the_loop: &TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let only = (args.common.service_only, args.common.sessions_only);
    let services = if only.1 { Half::left_out() } else { service(the_loop, &args.bind.into(), only.0) };
    let sessions = if only.0 { Half::left_out() } else { lifecycle::sessions(the_loop.standing().start_auto()) };
    let (report, code) = lifecycle::join(services, sessions);
    lifecycle::print(&report, args.common.format, output)?;
    if !only.0 && report.standing_sessions.is_empty() && args.common.format == Format::Text {
        output.err(&nothing(the_loop)?);
    }
    lifecycle::announce(the_loop, &report, output);
    Ok(code)
}

/// Says why no session was started, and what to add.
fn nothing(the_loop: &TheLoop) -> Result<String, Refusal> {
    let rows = the_loop.standing().list()?;
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    Ok(if names.is_empty() {
        let file = the_loop.config().path.file().display().to_string();
        format!(
            "no session to start: none is declared or created\n\
             help: create one with `the-loop standing create NAME`\n\
             help: or declare it in {}: `standingSessions: {{enabled: true, sessions: [{{name: NAME}}]}}`\n",
            sanitize::line(&file)
        )
    } else {
        format!(
            "no session to start: `autoStart` is false for {}\n\
             help: start one with `the-loop standing start NAME`, or set its `autoStart` to true\n",
            sanitize::line(&names.join(", "))
        )
    })
}

/// Returns the service's half. `asked_for` is true if the command must start the service even where it is not started
/// automatically.
pub(super) fn service(the_loop: &TheLoop, bind: &Bind, asked_for: bool) -> Half<ServiceRow> {
    let config = the_loop.config();
    let settings = &config.settings.service;
    let disabled = |key: &str| {
        let detail = format!("`{key}` is false in {}", config.path.file().display());
        let row = ServiceRow { outcome: Some(ServiceOutcome::Disabled), detail, ..lifecycle::service_row(the_loop) };
        Half { rows: vec![row], code: u8::from(asked_for) }
    };
    if !settings.enabled {
        return disabled("service.enabled");
    }
    if !settings.auto_start && !asked_for {
        return disabled("service.autoStart");
    }
    let (row, code) = background::start(the_loop, bind);
    Half { rows: vec![row], code }
}
