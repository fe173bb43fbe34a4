//! Answers the prompt that a session waits on.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Selects one of the options of a session's prompt.
#[server(name = AnswerStanding, prefix = "/app", endpoint = "standing/answer")]
pub async fn answer(
    /// Name of the session.
    #[server(default)]
    name: String,
    /// Prompt as the page showed it; no other prompt is answered.
    #[server(default)]
    question: String,
    /// Digit of the option.
    #[server(default)]
    choice: String,
    /// Key of the form: the same answer to the same prompt, sent again with the same key, is selected once.
    #[server(default)]
    key: String,
) -> Result<Answer, Failure> {
    use engine::StandingApi as _;

    use super::{messages, reply};
    use crate::notices::{Notice, Place};

    let context = reply::context();
    let question = reply::plain_lines(&question);
    let idempotency_key = reply::once(&key, &[&question, &choice]);
    let actor = reply::ACTOR.to_owned();
    let request = wire::AnswerRequest { name: name.clone(), choice, question, idempotency_key, actor };
    let answered = context.engine().answer(&request).await;
    let notice = match &answered {
        Ok(receipt) => messages::receipt(receipt, Place::Session(name)),
        Err(error) => Notice::refused(error, Place::Session(name)),
    };
    reply::send(&context, notice, answered.map(Answer::Receipt))
}
