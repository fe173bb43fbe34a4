//! `the-loop channels …`: checks and tests the Slack connection. Refused while the config is invalid.

use clap::{Subcommand, ValueEnum};
use standing::TheLoop;

use super::{
    Output, Refusal, document,
    output::{BAD, GOOD, WARN, paint},
    sanitize,
};
use crate::surfaces::slack::{self, Report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop channels status     show whether replies are received, and since when
  the-loop channels test       post to the configured channel and wait to receive the message

Exit status: 0 receiving, or Slack is disabled; 1 not receiving; 2 invalid arguments or config.";

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Show whether the service receives replies from Slack
    Status(StatusArgs),
    /// Post a message to the configured channel and wait to receive it
    Test,
}

#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Output format of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    Text,
    /// One JSON document.
    Json,
}

impl Verb {
    pub(super) fn run(self, the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
        the_loop.config().standing().map_err(standing::Error::from)?;
        match self {
            Self::Status(args) => status(the_loop, &args, output),
            Self::Test => test(the_loop, output),
        }
    }
}

fn status(the_loop: &TheLoop, args: &StatusArgs, output: &mut Output) -> Result<u8, Refusal> {
    let report = slack::report(the_loop);
    match args.format {
        Format::Text => output.out(&text(&report)),
        Format::Json => output.out(&document(&report)?),
    }
    Ok(u8::from(report.is_deaf()))
}

fn text(report: &Report) -> String {
    let mut lines = vec![("slack", if report.enabled { "on".to_owned() } else { "off".to_owned() })];
    if report.enabled {
        lines.push(("mode", report.mode.to_owned()));
        lines.push(("hears", hears(report)));
        lines.push((
            "channel",
            if report.channel.is_empty() { "none set".to_owned() } else { sanitize::line(&report.channel) },
        ));
        lines.push((
            "authorized",
            match report.authorized_users {
                0 => "nobody (`channels.slack.authorizedUsers` is empty)".to_owned(),
                n => format!("{n} member(s)"),
            },
        ));
    }
    if let Some(listener) = report.listener.as_ref().filter(|_| report.enabled) {
        let event = &listener.last_event_at;
        lines.push(("last event", if event.is_empty() { "none yet".to_owned() } else { sanitize::line(event) }));
        lines.push(("threads", listener.threads.to_string()));
        lines.push(("pending", listener.pending.to_string()));
        if let Some(slowed) = report.slowed() {
            lines
                .push(("slowed", format!("{}, since {}: {slowed}", paint(WARN, "yes"), sanitize::line(&slowed.since))));
        }
        for (channel, problem) in report.channel_problems() {
            lines.push(("problem", sanitize::line(&format!("{channel}: {problem}"))));
        }
        if !listener.bot.is_empty() {
            lines.push(("bot", sanitize::line(&format!("{} in {}", listener.bot, listener.team))));
        }
        if !listener.problem.is_empty() {
            lines.push(("problem", sanitize::line(&listener.problem)));
        }
    }
    let line = |(key, value): &(&str, String)| format!("{key:<11} {value}\n");
    lines.iter().map(line).collect::<Vec<_>>().concat()
}

fn hears(report: &Report) -> String {
    let since = report.listener.as_ref().map_or_else(String::new, |listener| sanitize::line(&listener.since));
    match (report.hears, report.hosted) {
        (true, _) => format!("{}, since {since}", paint(GOOD, "yes")),
        (false, _) if report.mode == "off" => "no (`channels.slack.read.mode` is off)".to_owned(),
        (false, true) => format!("{}, since {since}", paint(BAD, "no")),
        (false, false) => format!("{}: the service is not running; start it with `the-loop start`", paint(BAD, "no")),
    }
}

fn test(the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
    let trip = slack::round_trip(the_loop).map_err(Refusal::failure)?;
    output.out(&format!("posted to {} in {} ms\n", sanitize::line(&trip.channel), trip.posted_in.as_millis()));
    output.out(&format!("heard back {} in {} ms\n", trip.way, trip.back_in.as_millis()));
    Ok(0)
}
