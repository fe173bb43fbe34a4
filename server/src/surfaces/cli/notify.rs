//! `the-loop notify …`: tests the targets of notifications. Refused while the config is invalid.

use clap::Subcommand;
use serde::Serialize;
use standing::TheLoop;

use super::{
    Output, Refusal, document,
    output::{BAD, Format, GOOD, paint},
    sanitize,
};
use crate::surfaces::notify::{self, Sent};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop notify test     send a test to each target of `notify`, and print the results

Exit status: 0 every target accepted it, or none is configured; 1 a target failed; 2 invalid arguments or config.";

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Send a test notification to each target
    Test(TestArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct TestArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Result of one target.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    key: String,
    target: String,
    ok: bool,
    milliseconds: Option<u128>,
    error: Option<String>,
}

impl Verb {
    pub(super) fn run(self, the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
        the_loop.config().standing().map_err(standing::Error::from)?;
        let Self::Test(args) = self;
        let sent = notify::test(the_loop)
            .map_err(|error| Refusal::failure(format!("could not start the runtime: {error}")))?;
        let lines: Vec<Line> = sent.into_iter().enumerate().map(line).collect();
        match args.format {
            Format::Json => output.out(&document(&lines)?),
            Format::Text if lines.is_empty() => {
                output.out("No target is configured: see `notify` in docs/config.md.\n");
            }
            Format::Text => output.out(&lines.iter().map(text).collect::<String>()),
        }
        if !lines.is_empty() && the_loop.config().settings.service.public_url.is_empty() {
            output.err("`service.publicUrl` is not set: notifications have no answer links\n");
        }
        Ok(u8::from(lines.iter().any(|line| !line.ok)))
    }
}

fn line((at, sent): (usize, Sent)) -> Line {
    let (milliseconds, error) = match sent.result {
        Ok(took) => (Some(took.as_millis()), None),
        Err(why) => (None, Some(why)),
    };
    Line { key: format!("notify[{at}]"), target: sent.target, ok: error.is_none(), milliseconds, error }
}

fn text(line: &Line) -> String {
    let result = match (&line.error, line.milliseconds) {
        (Some(error), _) => format!("{}: {}", paint(BAD, "failed"), sanitize::line(error)),
        (None, took) => format!("{} in {} ms", paint(GOOD, "sent"), took.unwrap_or_default()),
    };
    format!("{}  {}  {result}\n", line.key, sanitize::line(&line.target))
}
