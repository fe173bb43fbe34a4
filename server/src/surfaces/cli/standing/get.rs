//! `standing get`: shows one session in full.

use clap::builder::styling::Style;
use engine::StandingApi;
use wire::{Activity, Row};

use super::{
    Format, Output, Refusal, document, given, list,
    output::BOLD,
    sanitize,
    table::{self, Cell},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing get ops
  the-loop standing get ops --format json | jq -r .harnessSessionId";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) async fn run(api: &impl StandingApi, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let row = api.get(&args.name).await?;
    match args.format {
        Format::Json => output.out(&document(&row)?),
        Format::Text => output.out(&card(&row)),
    }
    Ok(0)
}

/// Formats the row as lines of a name and a value, without empty values.
fn card(row: &Row) -> String {
    let (live, look) = list::live(row);
    let yes_no = |truth| if truth { "yes" } else { "no" }.to_owned();
    let activity = if row.activity == Activity::Unknown { "" } else { row.activity.label() };
    let lines = [
        ("Name", row.name.clone()),
        ("Description", row.description.clone()),
        ("Declared", yes_no(row.declared)),
        ("Status", row.status.as_str().to_owned()),
        ("Live", live.to_owned()),
        ("Reason", row.reason.clone()),
        ("Activity", activity.to_owned()),
        ("Blocked", list::obstacle(row)),
        ("Since", row.since.clone()),
        ("Question", row.question.clone()),
        ("Queued", if row.queued == 0 { String::new() } else { format!("{} message(s)", row.queued) }),
        ("Harness", row.harness.clone()),
        ("Conversation", row.harness_session_id.clone()),
        ("Directory", row.cwd.clone()),
        ("Environment", row.env.join(", ")),
        ("Secrets", row.secrets.join(", ")),
        ("Tmux", row.tmux_target.clone()),
        ("Auto-start", yes_no(row.auto_start)),
        ("Started", row.started_at.clone()),
        ("Last message", row.last_message_at.clone()),
        ("Slack channel", row.slack_channel.clone()),
        ("Slack thread", row.slack_thread.clone()),
    ];
    let filled =
        lines.into_iter().map(|(word, value)| (word, sanitize::line(&value))).filter(|(_, value)| !value.is_empty());
    let rows: Vec<_> = filled
        .map(|(word, value)| {
            [Cell::new(word, BOLD), Cell::new(value, if word == "Live" { look } else { Style::new() })]
        })
        .collect();
    table::aligned(&rows)
}
