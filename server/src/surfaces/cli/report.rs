//! Result of a verb, one line per session: name, outcome, detail. Failed rows go to standard error.

use clap::builder::styling::Style;
use wire::{ControlReport, Outcome, Row};

use super::{
    output::{BAD, GOOD, Output, WARN, paint},
    sanitize,
};

/// Prints the report. The exit status is 1 unless all rows succeeded.
pub(super) fn print(report: &ControlReport, output: &mut Output) -> u8 {
    rows(report.stopped.iter().flatten(), output);
    rows(&report.sessions, output);
    u8::from(!report.ok)
}

/// Prints these rows.
pub(super) fn rows<'a>(rows: impl IntoIterator<Item = &'a Row>, output: &mut Output) {
    for row in rows {
        let failed = !row.outcome.is_none_or(Outcome::is_ok);
        let line = line(row);
        if failed { output.err(&line) } else { output.out(&line) }
    }
}

fn line(row: &Row) -> String {
    let outcome = row.outcome.map_or("", Outcome::as_str);
    let detail = row.detail.as_deref().map(sanitize::line).unwrap_or_default();
    let line = format!("{}  {}  {detail}", sanitize::line(&row.name), paint(style(row.outcome), outcome));
    format!("{}\n", line.trim_end())
}

fn style(outcome: Option<Outcome>) -> Style {
    match outcome {
        Some(Outcome::Started | Outcome::Resumed | Outcome::AlreadyRunning) => GOOD,
        Some(Outcome::Failed | Outcome::Misconfigured) => BAD,
        Some(Outcome::NotRunning) => WARN,
        Some(Outcome::Stopped | Outcome::Deleted) | None => Style::new(),
    }
}
