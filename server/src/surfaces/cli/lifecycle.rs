//! Shared parts of `start`, `stop`, `restart` and `status`, which act on the service and all sessions.

use standing::{Error, TheLoop};
use wire::{ControlReport, LifecycleReport, Outcome, Row, ServiceOutcome, ServiceRow};

use super::{
    Output, Refusal, document,
    output::{BAD, BOLD, Format, GOOD, WARN, paint},
    report, sanitize,
};
use crate::{service::background::NAME, surfaces::slack};

/// How the report is printed, and which half is meant.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct WhatAndHow {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Only the service; leave the sessions as they are
    #[arg(long, conflicts_with = "sessions_only")]
    pub(super) service_only: bool,
    /// Only the sessions; leave the service as it is
    #[arg(long)]
    pub(super) sessions_only: bool,
}

/// Half of a report, and its exit status.
pub(super) struct Half<T> {
    pub(super) rows: Vec<T>,
    pub(super) code: u8,
}

impl<T> Half<T> {
    /// Returns the half that was not requested.
    pub(super) const fn left_out() -> Self {
        Self { rows: Vec::new(), code: 0 }
    }
}

/// Returns the sessions' half. An invalid config or an unreadable registry is one row, so that it does not hide the
/// state of the service.
pub(super) fn sessions(answer: Result<ControlReport, Error>) -> Half<Row> {
    let (outcome, code, detail) = match answer {
        Ok(report) => return Half { rows: report.sessions, code: u8::from(!report.ok) },
        Err(Error::Misconfigured(problems)) => (Outcome::Misconfigured, 2, problems.to_string()),
        Err(error) => (Outcome::Failed, error.code().exit_code(), error.problem().detail),
    };
    let row = Row { outcome: Some(outcome), detail: Some(detail), ..Row::titled("standingSessions") };
    Half { rows: vec![row], code }
}

/// Joins both halves into one report. The exit status is the worse one.
pub(super) fn join(services: Half<ServiceRow>, sessions: Half<Row>) -> (LifecycleReport, u8) {
    let code = services.code.max(sessions.code);
    let report =
        LifecycleReport { services: services.rows, standing_sessions: sessions.rows, ok: code == 0, stopped: None };
    (report, code)
}

pub(super) fn print(report: &LifecycleReport, format: Format, output: &mut Output) -> Result<(), Refusal> {
    if format == Format::Json {
        output.out(&document(report)?);
        return Ok(());
    }
    for (title, half) in
        [("stopping", report.stopped.as_deref()), ("starting", report.stopped.as_ref().map(|_| report))]
    {
        if let Some(half) = half {
            output.out(&format!("{}\n", paint(BOLD, title)));
            rows(half, output);
        }
    }
    if report.stopped.is_none() {
        rows(report, output);
    }
    Ok(())
}

fn rows(report: &LifecycleReport, output: &mut Output) {
    for row in &report.services {
        let failed = row.outcome == Some(ServiceOutcome::Failed);
        let line = service_line(row);
        if failed { output.err(&line) } else { output.out(&line) }
    }
    if !report.standing_sessions.is_empty() {
        report::rows(&report.standing_sessions, output);
    }
}

fn service_line(row: &ServiceRow) -> String {
    let style = match row.outcome {
        Some(ServiceOutcome::Started | ServiceOutcome::AlreadyRunning) => GOOD,
        Some(ServiceOutcome::Failed) => BAD,
        _ => WARN,
    };
    let outcome = row.outcome.map_or("", ServiceOutcome::as_str);
    let line = format!("{}  {}  {}", row.service, paint(style, outcome), sanitize::text(&row.detail));
    format!("{}\n", line.trim_end())
}

/// Announces started sessions in Slack, if no service is running that does it.
pub(super) fn announce(the_loop: &TheLoop, report: &LifecycleReport, output: &mut Output) {
    if report.services.iter().any(|row| row.running) {
        return;
    }
    for complaint in slack::sync_once(the_loop) {
        output.err(&format!("{}\n", sanitize::line(&complaint)));
    }
}

/// Returns a row of the service, from the config.
pub(super) fn service_row(the_loop: &TheLoop) -> ServiceRow {
    let enabled = the_loop.config().settings.service.enabled;
    ServiceRow { service: NAME.to_owned(), enabled, ..ServiceRow::default() }
}
