//! `standing list`: lists every session, declared and created.

use clap::builder::styling::Style;
use engine::StandingApi;
use wire::{Activity, Blocked, Row, State};

use super::{
    Format, Output, Refusal,
    ago::ago,
    document,
    output::{BOLD, DIM, GOOD, WARN, paint},
    sanitize,
    table::{self, Cell},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing list
  the-loop standing list --format json | jq -r '.[] | select(.running) | .name'
  the-loop standing list --format json | jq -r '.[] | select(.activity == \"waiting\") | .question'

Activity is the current activity of a running session or its obstacle (limited, logged-out, no-credit, overloaded, refused,
context-full, stalled), Since is when it began, and Prompt is the prompt that the session is waiting at. A narrow terminal shows fewer columns; a pipe gets all of them.";

const NOTHING: &str = "\
No standing sessions yet. To create one:
  the-loop standing create NAME
To try it without an account:
  the-loop standing create hello --harness demo
";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) async fn run(api: &impl StandingApi, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let rows = api.list().await?;
    match args.format {
        Format::Json => output.out(&document(&rows)?),
        Format::Text if rows.is_empty() => output.out(NOTHING),
        Format::Text => {
            output.out(&listing(&rows, Output::columns()));
            output.err(&remarks(&rows));
        }
    }
    Ok(0)
}

/// Column titles. The first seven columns are published; newer ones follow them.
const TITLES: [&str; 10] =
    ["Name", "Harness", "Tmux", "Declared", "Status", "Live", "Slack", "Activity", "Since", "Prompt"];

/// Columns that a narrow terminal omits, in this order.
const GIVE_WAY: [&str; 5] = ["Tmux", "Slack", "Declared", "Status", "Harness"];

fn listing(rows: &[Row], terminal: Option<usize>) -> String {
    let head = TITLES.map(|title| Cell::new(title, BOLD)).to_vec();
    let lines: Vec<_> = std::iter::once(head).chain(rows.iter().map(|row| cells(row).to_vec())).collect();
    table::fitted(lines, &GIVE_WAY, terminal)
}

fn cells(row: &Row) -> [Cell; 10] {
    let (live, look) = live(row);
    let declared = if row.declared { "yes" } else { "no" };
    [
        Cell::from(sanitize::line(&row.name)),
        sanitize::line(&row.harness).into(),
        sanitize::line(&row.tmux_target).into(),
        declared.into(),
        row.status.as_str().into(),
        Cell::new(live, look),
        slack(row).into(),
        activity(row),
        ago(&row.since).into(),
        sanitize::line(&row.question).into(),
    ]
}

/// Describes the activity of a running session.
pub(in crate::surfaces::cli) fn activity(row: &Row) -> Cell {
    match row.activity {
        _ if !row.running => Cell::from("-"),
        Activity::Waiting => Cell::new(row.activity.as_str(), WARN),
        _ if row.blocked.is_some() => Cell::new(row.blocked.as_ref().map_or("", |blocked| blocked.kind.as_str()), WARN),
        _ => Cell::from(row.activity.as_str()),
    }
}

/// Describes the obstacle of a session: when it ends, and the evidence. Empty without one.
pub(in crate::surfaces::cli) fn obstacle(row: &Row) -> String {
    let Some(Blocked { kind, until, evidence, .. }) = &row.blocked else { return String::new() };
    let until = until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default();
    format!("{}{until}: {evidence}", kind.label())
}

/// Describes the state of a session: yes or no, or a word where neither is accurate.
pub(in crate::surfaces::cli) fn live(row: &Row) -> (&'static str, Style) {
    match row.state {
        _ if row.running => ("yes", GOOD),
        State::Absent | State::Stopped | State::Running => ("no", DIM),
        other => (other.as_str(), WARN),
    }
}

fn slack(row: &Row) -> String {
    match (row.slack_channel.as_str(), row.slack_thread.as_str()) {
        ("", "") => "-".to_owned(),
        (channel, "") => sanitize::line(channel),
        (channel, thread) => sanitize::line(&format!("{channel}/{thread}")),
    }
}

/// Formats a line for each session whose state needs an explanation.
fn remarks(rows: &[Row]) -> String {
    let mut lines = String::new();
    for row in rows {
        for remark in [&row.reason, &obstacle(row)].into_iter().filter(|remark| !remark.is_empty()) {
            let name = paint(WARN, format!("{}:", sanitize::line(&row.name)));
            lines.extend([name.as_str(), " ", &sanitize::line(remark), "\n"]);
        }
    }
    lines
}
