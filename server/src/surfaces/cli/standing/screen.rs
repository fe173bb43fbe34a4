//! `standing screen`: shows the screen of a session.

use std::time::Duration;

use engine::StandingApi;

use super::{Output, Refusal, given, sanitize};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing screen ops
  the-loop standing screen ops --lines 10
  the-loop standing screen ops --follow      print it again when it changes

Plain text without colours. To type, use `the-loop standing attach`.";

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Number of lines from the end
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u16).range(1..=500))]
    lines: u16,
    /// Print the screen again when it changes, until interrupted
    #[arg(long)]
    follow: bool,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let mut last: Option<String> = None;
    loop {
        let screen = api.screen(&args.name, args.lines.into()).await?;
        if last.as_ref() != Some(&screen) {
            if last.is_some() {
                output.out("---\n");
            }
            output.out(&format!("{}\n", sanitize::text(screen.trim_end())));
            last = Some(screen);
        }
        if !args.follow || output.is_closed() {
            return Ok(0);
        }
        tokio::time::sleep(PAUSE).await;
    }
}
