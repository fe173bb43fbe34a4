//! Answers the question that a session waits on.

use leptos::prelude::*;

use super::{Answer, Back};

/// Chooses one of the answers that a session offers to its own question.
#[server(name = AnswerStanding, prefix = "/app", endpoint = "standing/answer")]
pub async fn answer(
    /// The session.
    #[server(default)]
    name: String,
    /// The question as the page showed it: no other one is answered.
    #[server(default)]
    question: String,
    /// The answer's digit.
    #[server(default)]
    choice: String,
    /// The key of the form: the same answer to the same question, sent again under the same key, is chosen once.
    #[server(default)]
    key: String,
    /// The sessions to show afterwards.
    #[server(default)]
    back: Back,
) -> Result<Answer, ServerFnError> {
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
        Ok(receipt) => messages::receipt(receipt, Place::Say(name)),
        Err(error) => Notice::refused(error, Place::Say(name)),
    };
    Ok(reply::send(&context, notice, back, answered.map(Answer::Receipt)))
}
