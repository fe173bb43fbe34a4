//! `standing wait`: waits until a session is in a state.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use engine::StandingApi;
use wire::{Activity, Row, State};

use super::{Output, Refusal, given, sanitize};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing wait ops --until idle
  the-loop standing wait ops --until idle --until waiting --timeout 600
  the-loop standing wait ops --until exited && the-loop standing get ops

A message that was sent a moment ago may not have begun: to wait for an answer, use `the-loop standing ask`.

Exit status: 0 reached; 1 it cannot be reached; 2 invalid arguments; 3 not reached at the timeout.";

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// State to wait for; may be repeated
    #[arg(long, value_enum, value_name = "STATE", required = true, value_delimiter = ',')]
    until: Vec<Until>,
    /// Seconds to wait; without it, there is no limit
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

/// State that can be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Until {
    /// It is ready for the next message
    Idle,
    /// It shows a prompt and waits for an answer
    Waiting,
    /// Its harness is not running
    Exited,
    /// It cannot continue: a usage limit, a missing login and the like
    Blocked,
}

impl Until {
    fn is_reached(self, row: &Row) -> bool {
        match self {
            Self::Idle => row.running && row.activity == Activity::Idle,
            Self::Waiting => row.running && row.activity == Activity::Waiting,
            Self::Exited => is_over(row),
            Self::Blocked => row.running && row.blocked.is_some(),
        }
    }
}

/// True if the harness is certainly not running. While tmux does not answer, nothing is certain.
const fn is_over(row: &Row) -> bool {
    matches!(row.state, State::Ended | State::Stopped | State::Absent)
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let until = args.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    loop {
        let row = api.get(&args.name).await?;
        if args.until.iter().any(|until| until.is_reached(&row)) {
            output.out(&format!("{}\n", row.label()));
            return Ok(0);
        }
        let name = sanitize::line(&args.name);
        if is_over(&row) {
            output.err(&format!("`{name}` is {}: it does not reach that state\n", row.label()));
            return Ok(1);
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            output.err(&format!("`{name}` is still {}\n", row.label()));
            return Ok(3);
        }
        tokio::time::sleep(PAUSE).await;
    }
}
