//! `standing answer`: answers the prompt that a session waits on.

use engine::StandingApi;
use wire::{Activity, AnswerRequest, Choice, Row};

use super::{Output, Refusal, given, sanitize, say};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing answer ops             show the prompt and its answers
  the-loop standing answer ops 2           select an answer by its digit
  the-loop standing answer ops Yes         select an answer by its full text

Only the digit is typed, never Enter, so a preselected answer is not taken by accident.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Answer, by its digit or its full text; without it, the prompt is shown
    #[arg(value_parser = given::filled)]
    choice: Option<String>,
    /// Answer only this prompt, as in `question` of `the-loop standing get NAME --format json`
    #[arg(long, value_name = "TEXT", value_parser = given::filled)]
    question: Option<String>,
    /// Select the same answer with the same key only once
    #[arg(long, value_name = "KEY", value_parser = given::filled)]
    idempotency_key: Option<String>,
    /// Name of the sender
    #[arg(long, value_name = "WHO", default_value = "", hide_default_value = true)]
    actor: String,
}

pub(super) async fn run(api: &impl StandingApi, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let Some(choice) = args.choice else {
        let row = api.get(&args.name).await?;
        output.out(&shown(&row));
        return Ok(u8::from(row.activity != Activity::Waiting));
    };
    let (question, idempotency_key) = (args.question.unwrap_or_default(), args.idempotency_key.unwrap_or_default());
    let request = AnswerRequest { name: args.name, choice, question, actor: args.actor, idempotency_key };
    let receipt = api.answer(&request).await?;
    say::print(&receipt, output);
    Ok(receipt.exit_code)
}

/// Formats the prompt and its options.
fn shown(row: &Row) -> String {
    if row.activity != Activity::Waiting {
        return format!("`{}` is not waiting for an answer\n", sanitize::line(&row.name));
    }
    let question = format!("{}\n", sanitize::text(&row.question));
    if row.choices.is_empty() {
        return format!("{question}its prompt has no numbered answers: answer in its terminal, {}\n", row.tmux_target);
    }
    let line = |choice: &Choice| format!("  {}  {}\n", sanitize::line(&choice.key), sanitize::line(&choice.text));
    std::iter::once(question).chain(row.choices.iter().map(line)).collect()
}
