//! `standing say`: types a message into a running session.

use std::io::{self, Read as _};

use engine::StandingApi;
use standing::text::MESSAGE_LIMIT;
use wire::{SayReceipt, SayRequest, Stream};

use super::{Output, Refusal, given, sanitize};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing say ops --text 'what is in flight?'
  the-loop standing say ops what is in flight
  git log -5 | the-loop standing say ops -
  the-loop standing say ops --text 'continue' --actor 'night shift'

A message never starts a session. Use `the-loop standing start NAME`.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required_unless_present = "flagged", conflicts_with = "flagged")]
    text: Vec<String>,
    /// Message; `-` reads it from standard input
    #[arg(long = "text", id = "flagged", value_name = "TEXT", allow_hyphen_values = true)]
    flagged: Option<String>,
    /// Name of the sender
    #[arg(long, value_name = "WHO", default_value = "", hide_default_value = true)]
    actor: String,
    /// Send even if the session is waiting for an answer; unsent text in its input box is sent first
    #[arg(long)]
    force: bool,
    /// Deliver the same message with the same key only once
    #[arg(long, value_name = "KEY", value_parser = given::filled)]
    idempotency_key: Option<String>,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let text = match args.flagged.unwrap_or_else(|| args.text.join(" ")) {
        dash if dash == "-" => from_stdin()?,
        text => text,
    };
    let (actor, force, idempotency_key) = (args.actor, args.force, args.idempotency_key.unwrap_or_default());
    let request = SayRequest { name: args.name, text, actor, force, idempotency_key, wait: 0 };
    let receipt = api.say(&request).await?;
    print(&receipt, output);
    Ok(receipt.exit_code)
}

/// Reads no more than can be sent: the input may be endless.
pub(super) fn from_stdin() -> Result<String, Refusal> {
    let from = |reason: String| Refusal::mistake(format!("could not read the message from standard input: {reason}"));
    let mut bytes = Vec::new();
    let limit = MESSAGE_LIMIT as u64;
    io::stdin().take(limit + 1).read_to_end(&mut bytes).map_err(|error| from(error.to_string()))?;
    if bytes.len() > MESSAGE_LIMIT {
        return Err(from(format!("more than {limit} bytes: put the text in a file and send its path")));
    }
    String::from_utf8(bytes).map_err(|error| from(error.to_string()))
}

/// Prints the result of a message.
pub(super) fn print(receipt: &SayReceipt, output: &mut Output) {
    for message in &receipt.messages {
        let line = format!("{}\n", sanitize::text(&message.text));
        match message.stream {
            Stream::Out => output.out(&line),
            Stream::Err => output.err(&line),
        }
    }
}
