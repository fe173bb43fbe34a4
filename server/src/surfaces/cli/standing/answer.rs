//! `standing answer`: chooses an answer to the question that a session waits on.

use engine::StandingApi;
use wire::{Activity, AnswerRequest, Choice, Row};

use super::{Output, Refusal, given, inert, say};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing answer ops             show what it asks, and choose nothing
  the-loop standing answer ops 2           choose by the digit
  the-loop standing answer ops Yes         or by all of the answer's text

Enter is never pressed: nothing that is preselected is taken.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// The answer: its digit or all of its text; without it the question is shown
    #[arg(value_parser = given::filled)]
    choice: Option<String>,
    /// Answer this question and no other, as `the-loop standing get NAME --format json` shows it
    #[arg(long, value_name = "TEXT", value_parser = given::filled)]
    question: Option<String>,
    /// The same key with the same answer is chosen once, however often it is sent
    #[arg(long, value_name = "KEY", value_parser = given::filled)]
    idempotency_key: Option<String>,
    /// Who answers
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

/// The question and its answers.
fn shown(row: &Row) -> String {
    if row.activity != Activity::Waiting {
        return format!("`{}` waits for no answer\n", inert::line(&row.name));
    }
    let question = format!("{}\n", inert::text(&row.question));
    if row.choices.is_empty() {
        return format!("{question}it offers no answer with a digit: look at its own terminal, {}\n", row.tmux_target);
    }
    let line = |choice: &Choice| format!("  {}  {}\n", inert::line(&choice.key), inert::line(&choice.text));
    std::iter::once(question).chain(row.choices.iter().map(line)).collect()
}
