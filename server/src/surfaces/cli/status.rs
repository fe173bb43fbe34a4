//! `the-loop status`: shows whether the service and all auto-start sessions are running.

use standing::TheLoop;
use wire::{LifecycleReport, Need, Row, ServiceRow, State};

use super::{
    Output, Refusal,
    ago::ago,
    document,
    lifecycle::{self, Half},
    output::{BAD, BOLD, DIM, Format, GOOD, WARN, paint},
    sanitize,
    standing::list,
    table::{self, Cell},
};
use crate::{
    service::{instance, probe},
    surfaces::slack,
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop status
  the-loop status --format json
  the-loop status > /dev/null || the-loop start
  the-loop status --needs > /dev/null; [ $? -eq 3 ] && the-loop needs

Exit status:
  0  the service and every auto-start session are running
  1  the service or an auto-start session is not running
  2  invalid arguments or config
  3  only with --needs: everything is running, and a session needs you, as in `the-loop needs`
Sessions without auto-start are shown but do not affect statuses 0 and 1.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exit with 3 if everything is running and a session needs you, as in `the-loop needs`
    #[arg(long)]
    needs: bool,
}

/// Exit status when a session needs someone.
const NEEDED: u8 = 3;

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let service = service(the_loop)?;
    let config = the_loop.config();
    let wanted = config.settings.service.enabled && config.settings.service.auto_start;
    // A service of another program does not report its address, and a start leaves it unchanged.
    let well = service.running && service.healthy != Some(false);
    let services = Half { code: u8::from(wanted && !well), rows: vec![service] };
    let sessions = lifecycle::sessions(the_loop.standing().status());
    let (report, code) = lifecycle::join(services, sessions);
    match args.format {
        Format::Json => output.out(&document(&report)?),
        Format::Text => {
            text(&report, config.settings.standing_enabled, output);
            slack_lines(&slack::report(the_loop), output);
        }
    }
    let needed = report.standing_sessions.iter().filter_map(Need::of).any(Need::calls);
    Ok(if args.needs && code == 0 && needed { NEEDED } else { code })
}

/// Returns the row of the service, as it is now.
pub(super) fn service(the_loop: &TheLoop) -> Result<ServiceRow, Refusal> {
    let config = the_loop.config();
    let state_root = &config.settings.state_root;
    let holder = instance::running(state_root).map_err(|error| {
        Refusal::failure(format!(
            "{}: could not determine whether the service is running: {error}",
            state_root.display()
        ))
    })?;
    let mut row = ServiceRow { healthy: Some(false), ..lifecycle::service_row(the_loop) };
    let Some(holder) = holder else { return Ok(row) };
    (row.running, row.pid, row.healthy) = (true, holder.pid, None);
    if let Some(details) = holder.details {
        row.healthy = Some(probe::answers(&details.address));
        (row.url, row.version) = (details.address, details.version);
    }
    Ok(row)
}

fn text(report: &LifecycleReport, enabled: bool, output: &mut Output) {
    for row in &report.services {
        output.out(&service_line(row));
    }
    let misconfigured = report.standing_sessions.iter().any(|row| row.outcome.is_some());
    if misconfigured {
        super::report::rows(&report.standing_sessions, output);
    } else if !report.standing_sessions.is_empty() {
        let head = ["Name", "State", "Activity", "Since", "Auto-start", "Reason or prompt"];
        let head = head.map(|title| Cell::new(title, BOLD)).to_vec();
        let rows = report.standing_sessions.iter().map(|row| cells(row, enabled).to_vec());
        let rows = std::iter::once(head).chain(rows).collect();
        output.out(&table::fitted(rows, &["Auto-start"], Output::columns()));
    }
}

/// Formats the service's line.
pub(super) fn service_line(row: &ServiceRow) -> String {
    let how = match (row.running, row.healthy) {
        (true, Some(true)) => paint(GOOD, "running"),
        (true, Some(false)) => paint(BAD, "running, but not responding"),
        (true, None) => {
            paint(WARN, "running at an unknown address: it is still starting, or another program started it")
        }
        (false, _) if row.enabled => paint(WARN, "not running"),
        (false, _) => paint(DIM, "not running (`service.enabled` is false)"),
    };
    let place = match (row.running, row.url.is_empty()) {
        (true, false) => format!("  {} (pid {})", sanitize::line(&row.url), row.pid),
        (true, true) => format!("  (pid {})", row.pid),
        (false, _) => String::new(),
    };
    // An upgrade takes effect with the next restart.
    let other = if row.version.is_empty() || row.version == crate::VERSION {
        String::new()
    } else {
        let (theirs, ours) = (sanitize::line(&row.version), crate::VERSION);
        format!(", version {theirs}: update it to {ours} with `the-loop restart --service-only`")
    };
    format!("{}  {how}{place}{other}\n", row.service)
}

/// Prints the problems of Slack, if a service runs the listener.
fn slack_lines(report: &slack::Report, output: &mut Output) {
    if !report.enabled || !report.hosted {
        return;
    }
    if report.is_deaf() {
        let problem = report.listener.as_ref().map_or("", |listener| listener.problem.as_str());
        output.out(&format!("slack  {}: {}\n", paint(BAD, "not receiving replies"), sanitize::line(problem)));
    }
    if let Some(slowed) = report.slowed() {
        output.out(&format!("slack  {}: {slowed}\n", paint(WARN, "reading is rate limited")));
    }
    for (channel, problem) in report.channel_problems() {
        output.out(&format!("slack  {}\n", sanitize::line(&format!("{channel}: {problem}"))));
    }
}

/// Formats a row. `enabled` is `standingSessions.enabled`, without which declared sessions are not started
/// automatically.
fn cells(row: &Row, enabled: bool) -> [Cell; 6] {
    let (_, look) = list::live(row);
    let starts = match row.state {
        State::Unreadable => "unknown",
        _ if row.auto_start && (enabled || !row.declared) => "yes",
        _ => "no",
    };
    let obstacle = list::obstacle(row);
    let texts = [&row.reason, &row.question, &obstacle];
    let said = texts.into_iter().find(|text| !text.is_empty()).unwrap_or(&obstacle);
    [
        sanitize::line(&row.name).into(),
        Cell::new(row.state.label(), look),
        list::activity(row),
        ago(&row.since).into(),
        starts.into(),
        sanitize::line(said).into(),
    ]
}
