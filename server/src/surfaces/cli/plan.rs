//! `the-loop plan`: shows what `the-loop start` would do, without doing it.

use clap::builder::styling::Style;
use serde::Serialize;
use standing::{Error, TheLoop};
use wire::{PlannedAction, PlannedSession, ServiceOutcome, ServiceRow, State};

use super::{
    Output, Refusal, document,
    lifecycle::service_row,
    output::{BAD, BOLD, DIM, Format, GOOD},
    sanitize,
    table::{self, Cell},
};
use crate::service::instance;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop plan                  compare config, records and tmux, and show what a start would do
  the-loop plan --format json

Nothing is started, stopped or written.
Exit status: 0 a start would succeed; 1 it would fail for a session; 2 invalid arguments or config.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Planned actions of a start.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Plan {
    services: Vec<ServiceRow>,
    standing_sessions: Vec<PlannedSession>,
    ok: bool,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let sessions = the_loop.standing().plan()?;
    let ok = sessions.iter().all(|session| session.action != PlannedAction::Fail);
    let plan = Plan { services: vec![service(the_loop)?], standing_sessions: sessions, ok };
    match args.format {
        Format::Json => output.out(&document(&plan)?),
        Format::Text => output.out(&text(&plan)),
    }
    Ok(u8::from(!ok))
}

/// Returns the service's row, with the outcome that a start would have.
fn service(the_loop: &TheLoop) -> Result<ServiceRow, Refusal> {
    let config = the_loop.config();
    let settings = &config.settings;
    let running = instance::running(&settings.state_root).map_err(|source| {
        Refusal::from(Error::Storage {
            path: settings.state_root.clone(),
            doing: "could not determine whether the service is running",
            source,
        })
    })?;
    let mut row = service_row(the_loop);
    row.outcome = Some(match running {
        Some(holder) => {
            (row.running, row.pid) = (true, holder.pid);
            row.url = holder.details.map(|details| details.address).unwrap_or_default();
            ServiceOutcome::AlreadyRunning
        }
        None if settings.service.enabled && settings.service.auto_start => ServiceOutcome::Started,
        None => ServiceOutcome::Disabled,
    });
    Ok(row)
}

fn text(plan: &Plan) -> String {
    let head = ["Name", "File", "Record", "Tmux", "Start would", "Detail"].map(|title| Cell::new(title, BOLD));
    let services = plan.services.iter().map(service_cells);
    let sessions = plan.standing_sessions.iter().map(cells);
    table::aligned(&std::iter::once(head).chain(services).chain(sessions).collect::<Vec<_>>())
}

fn service_cells(row: &ServiceRow) -> [Cell; 6] {
    let (would, style) = match row.outcome {
        Some(ServiceOutcome::Started) => ("start it", GOOD),
        Some(ServiceOutcome::AlreadyRunning) => ("leave it running", DIM),
        _ => ("skip it", DIM),
    };
    let detail = if row.running { format!("pid {} {}", row.pid, sanitize::line(&row.url)) } else { String::new() };
    [row.service.as_str().into(), "-".into(), "-".into(), "-".into(), Cell::new(would, style), detail.trim_end().into()]
}

fn cells(session: &PlannedSession) -> [Cell; 6] {
    let file = if session.declared { "declared" } else { "-" };
    let recorded = if session.recorded.is_empty() { "-" } else { session.recorded.as_str() };
    let (would, style): (&str, Style) = match session.action {
        PlannedAction::Start => ("start it", GOOD),
        PlannedAction::Resume => ("resume it", GOOD),
        PlannedAction::LeaveRunning => ("leave it running", DIM),
        PlannedAction::Leave => ("skip it", DIM),
        PlannedAction::Fail => ("fail", BAD),
    };
    [
        sanitize::line(&session.name).into(),
        file.into(),
        recorded.into(),
        tmux(session.state).into(),
        Cell::new(would, style),
        sanitize::line(&session.detail).into(),
    ]
}

/// Describes the state of tmux in one word.
fn tmux(state: State) -> &'static str {
    match state {
        State::Absent | State::Stopped => "-",
        State::Starting | State::Running | State::Stopping => "running",
        State::Ended => "ended",
        State::Orphaned => "orphaned",
        State::Foreign => "foreign",
        State::Unrecorded => "unrecorded",
        State::Unknown => "silent",
        State::Unreadable => "?",
    }
}
