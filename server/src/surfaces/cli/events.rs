//! `the-loop events`: shows the event log, filtered, and follows it as it grows.

use std::{collections::VecDeque, thread, time::Duration};

use clap::ValueEnum;
use jiff::{SpanRelativeTo, Timestamp};
use serde_json::Value;
use standing::{
    TheLoop,
    events::{EventReader, LogLine},
};
use wildmatch::WildMatch;

use super::{
    Output, Refusal, given,
    output::{BAD, BOLD, DIM, WARN},
    sanitize,
    table::{self, Cell},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop events                                    the last 50 events
  the-loop events --since 2h --type 'standing.*'     session events of the last two hours
  the-loop events --session ops --follow             new events of one session
  the-loop events --limit 0 --format jsonl | jq .    all events, one per line";

/// Interval at which a followed log is read.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only events of this type; `*` matches anything; repeatable
    #[arg(long = "type", value_name = "GLOB", value_parser = given::filled)]
    types: Vec<String>,
    /// Only events of this session
    #[arg(long, value_name = "NAME", value_parser = given::session)]
    session: Option<String>,
    /// Only events since this time: `30s`, `15m`, `2h`, `1d`, or a time such as `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Number of events to show, from the end; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Print new events until Ctrl-C
    #[arg(long)]
    follow: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    Table,
    /// One JSON list.
    Json,
    /// One JSON object per line, as in the file.
    Jsonl,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    if args.follow && args.format == Format::Json {
        return Err(Refusal::mistake("`--follow` does not work with `--format json`: use `--format jsonl`"));
    }
    let wanted = Wanted::of(args)?;
    let log = the_loop.event_log();
    // The log can be read whatever the config contains. Only a wrong location of the log would be a problem.
    if let Some(problem) = the_loop.config().problems.first() {
        let (path, words) = (log.path().display(), sanitize::text(&problem.to_string()));
        output.err(&format!("the config is invalid, so this may be the wrong log ({path}): {words}\n"));
    }
    if !the_loop.config().settings.event_log.enabled {
        output.err("`eventLog.enabled` is false: new events are not logged\n");
    }
    let (events, next) = last(&log, &wanted, args.limit)?;
    print(&events, args.format, output)?;
    if events.is_empty() && !args.follow {
        output.err(&format!("no matching events in {}\n", log.path().display()));
    }
    if args.follow { follow(&log, next, &wanted, args.format, output) } else { Ok(0) }
}

/// An event with its line in the file.
struct Found {
    line: String,
    value: Value,
}

/// Filter for events.
struct Wanted {
    types: Vec<WildMatch>,
    session: Option<String>,
    /// Earliest time, in the form of an event's own time, which sorts as text.
    since: Option<String>,
}

impl Wanted {
    fn of(args: &Args) -> Result<Self, Refusal> {
        let since = args.since.as_deref().map(since).transpose()?;
        let types = args.types.iter().map(|glob| WildMatch::new(glob)).collect();
        Ok(Self { types, session: args.session.clone(), since })
    }

    fn take(&self, line: LogLine) -> Option<Found> {
        let value = line.value()?;
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let fits = (self.types.is_empty() || self.types.iter().any(|glob| glob.matches(text("event"))))
            && self.session.as_deref().is_none_or(|name| text("standing") == name)
            && self.since.as_deref().is_none_or(|since| text("ts") >= since);
        fits.then_some(Found { line: line.text, value })
    }
}

fn since(when: &str) -> Result<String, Refusal> {
    let mistake = || {
        Refusal::mistake(format!(
            "`--since {when}`: expected a time span such as `30m`, or a time such as `2026-01-31T12:00:00Z`"
        ))
    };
    let then = match when.parse::<jiff::Span>() {
        Ok(span) => {
            let length = span.abs().to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| mistake())?;
            Timestamp::now().checked_sub(length).map_err(|_| mistake())?
        }
        Err(_) => when.parse::<Timestamp>().map_err(|_| mistake())?,
    };
    Ok(then.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}

/// Returns the last matching events, and the end position of the log.
fn last(log: &EventReader, wanted: &Wanted, limit: usize) -> Result<(VecDeque<Found>, u64), Refusal> {
    let (mut found, mut at) = (VecDeque::new(), 0);
    loop {
        let batch = log.read(at).map_err(|error| unreadable(log, &error))?;
        if batch.lines.is_empty() {
            return Ok((found, batch.next));
        }
        at = batch.next;
        found.extend(batch.lines.into_iter().filter_map(|line| wanted.take(line)));
        if limit > 0 && found.len() > limit {
            found.drain(..found.len() - limit);
        }
    }
}

fn unreadable(log: &EventReader, error: &std::io::Error) -> Refusal {
    Refusal::mistake(format!("{}: could not read the event log: {error}", log.path().display()))
}

/// Prints new events for as long as standard output is open.
fn follow(log: &EventReader, from: u64, wanted: &Wanted, format: Format, output: &mut Output) -> Result<u8, Refusal> {
    let mut at = from;
    while !output.is_closed() {
        let batch = log.read(at).map_err(|error| unreadable(log, &error))?;
        if batch.gap && at > 0 {
            output.err("the log was replaced, or old events were removed\n");
        }
        at = batch.next;
        if batch.lines.is_empty() {
            thread::sleep(LOOK);
        }
        for event in batch.lines.into_iter().filter_map(|line| wanted.take(line)) {
            match format {
                Format::Table => output.out(&table::aligned(&[cells(&event.value)])),
                Format::Json | Format::Jsonl => output.out(&format!("{}\n", sanitize::json(&event.line))),
            }
        }
    }
    Ok(0)
}

fn print(events: &VecDeque<Found>, format: Format, output: &mut Output) -> Result<(), Refusal> {
    match format {
        Format::Table if events.is_empty() => {}
        Format::Table => {
            let head = ["Time", "Source", "Level", "Event", "Session", "Detail"].map(|title| Cell::new(title, BOLD));
            let rows: Vec<_> = std::iter::once(head).chain(events.iter().map(|event| cells(&event.value))).collect();
            output.out(&table::aligned(&rows));
        }
        Format::Json => {
            let list: Vec<&Value> = events.iter().map(|event| &event.value).collect();
            output.out(&super::document(&list)?);
        }
        Format::Jsonl => {
            for event in events {
                output.out(&format!("{}\n", sanitize::json(&event.line)));
            }
        }
    }
    Ok(())
}

fn cells(event: &Value) -> [Cell; 6] {
    let text = |key: &str| sanitize::line(event[key].as_str().unwrap_or("-"));
    let level = match event["level"].as_str() {
        Some("error") => Cell::new("error", BAD),
        Some("warning") => Cell::new("warning", WARN),
        _ => Cell::from(text("level")),
    };
    [text("ts").into(), text("source").into(), level, text("event").into(), text("standing").into(), detail(event)]
}

/// Formats the fields that have no column.
fn detail(event: &Value) -> Cell {
    const SHOWN: [&str; 6] = ["ts", "source", "event", "level", "pid", "standing"];
    let fields = event.as_object().into_iter().flatten().filter(|(key, _)| !SHOWN.contains(&key.as_str()));
    let words = fields.map(|(key, value)| match value {
        Value::String(text) => format!("{key}={text}"),
        other => format!("{key}={other}"),
    });
    Cell::new(sanitize::line(&words.collect::<Vec<_>>().join(" ")), DIM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_times() {
        let now = Timestamp::now();
        for (when, seconds) in [("30s", 30), ("15m", 900), ("2h", 7200), ("1d", 86400), ("1h 30m", 5400)] {
            let then: Timestamp = since(when).unwrap_or_else(|_| panic!("{when}")).parse().expect("a time");
            let ago = now.duration_since(then).as_secs();
            assert!((seconds - 5..=seconds).contains(&ago), "{when}: {ago}");
        }
        assert_eq!(since("2026-01-31T12:00:00Z").ok().as_deref(), Some("2026-01-31T12:00:00.000Z"));
        assert_eq!(since("2026-01-31T13:00:00+01:00").ok().as_deref(), Some("2026-01-31T12:00:00.000Z"));
        for wrong in ["", "yesterday", "30", "1y", "-"] {
            assert_eq!(since(wrong).err().map(|refusal| refusal.code), Some(2), "{wrong}");
        }
    }
}
