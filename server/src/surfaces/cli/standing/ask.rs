//! `standing ask`: sends a message and prints the answer of its turn.

use std::time::{Duration, Instant};

use engine::StandingApi;
use wire::{SayRequest, Turn, TurnState, Verdict};

use super::{Format, Output, Refusal, document, given, sanitize, say};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing ask ops 'what is in flight?'
  the-loop standing ask ops --timeout 60 'is the build green?' || echo \"exit $?\"
  git diff | the-loop standing ask ops -
  the-loop standing ask ops --id 3f2a…      wait again for an answer that was still open

The answer goes to standard output, everything else to standard error.

Exit status: 0 answered; 1 not delivered; 2 invalid arguments; 3 still working at the timeout;
4 blocked; 5 the turn was lost or cannot be followed.";

/// Longest wait in one request. A connection that is lost costs no more than this.
const STEP: u64 = 60;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required_unless_present = "id", conflicts_with = "id")]
    text: Vec<String>,
    /// Send nothing, and wait for the answer to the message with this id
    #[arg(long, value_name = "ID", value_parser = given::filled)]
    id: Option<String>,
    /// Seconds to wait for the answer
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// Name of the sender
    #[arg(long, value_name = "WHO", default_value = "", hide_default_value = true)]
    actor: String,
    /// Deliver the same message with the same key only once
    #[arg(long, value_name = "KEY", value_parser = given::filled)]
    idempotency_key: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let until = Instant::now() + Duration::from_secs(args.timeout);
    let (name, id) = (args.name.clone(), args.id.clone());
    let id = match id {
        Some(id) => id,
        None => match sent(api, &args, output).await? {
            Ok(id) => id,
            Err(code) => return Ok(code),
        },
    };
    let mut turn = api.turn(&name, &id, Duration::ZERO).await?;
    while turn.state.is_open() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        // Services wait for whole seconds.
        let step = left.as_secs_f64().ceil().min(Duration::from_secs(STEP).as_secs_f64());
        turn = api.turn(&name, &id, Duration::from_secs_f64(step)).await?;
    }
    match args.format {
        Format::Json => output.out(&document(&turn)?),
        Format::Text => print(&turn, output),
    }
    Ok(turn.state.exit_code())
}

/// Sends the message, and returns its id, or the exit status if it was not delivered.
async fn sent(api: &impl StandingApi, args: &Args, output: &mut Output) -> Result<Result<String, u8>, Refusal> {
    let text = match args.text.join(" ") {
        dash if dash == "-" => say::from_stdin()?,
        text => text,
    };
    let (name, actor) = (args.name.clone(), args.actor.clone());
    let idempotency_key = args.idempotency_key.clone().unwrap_or_default();
    let receipt = api.say(&SayRequest { name, text, actor, idempotency_key, ..SayRequest::default() }).await?;
    if receipt.verdict == Verdict::NotDelivered {
        say::print(&receipt, output);
        return Ok(Err(receipt.exit_code));
    }
    Ok(Ok(receipt.message_id))
}

fn print(turn: &Turn, output: &mut Output) {
    let (name, id) = (sanitize::line(&turn.name), sanitize::line(&turn.message_id));
    match turn.state {
        TurnState::Answered => {
            output.out(&format!("{}\n", sanitize::text(&turn.answer)));
            if !turn.shared_with.is_empty() {
                let others = turn.shared_with.len();
                output.err(&format!("`{name}` answered this message together with {others} other message(s)\n"));
            }
        }
        TurnState::Working => {
            output.err(&format!("`{name}` is still working: `the-loop standing ask {name} --id {id}` waits again\n"));
        }
        state => output.err(&format!("{}: {}\n", state.label(), sanitize::text(&turn.reason))),
    }
}
