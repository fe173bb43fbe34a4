//! Sends a message to a running session.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Pastes a message into a running session and submits it. `force` types it even if the session waits on a prompt.
#[server(name = SayStanding, prefix = "/app", endpoint = "standing/say")]
pub async fn say(
    /// Name of the session.
    #[server(default)]
    name: String,
    /// Text of the message.
    #[server(default)]
    text: String,
    /// True to type it even into a prompt.
    #[server(default)]
    force: bool,
    /// Key of the form: the same text, sent again with the same key, is typed once.
    #[server(default)]
    key: String,
) -> Result<Answer, Failure> {
    use engine::StandingApi as _;

    use super::{messages, reply};
    use crate::notices::{Draft, Notice, Place, Tone};

    let context = reply::context();
    let text = reply::plain_lines(&text);
    let idempotency_key = reply::once(&key, &[&text]);
    let actor = reply::ACTOR.to_owned();
    let request = wire::SayRequest { name: name.clone(), text: text.clone(), force, idempotency_key, actor, wait: 0 };
    let said = context.engine().say(&request).await;
    let mut notice = match &said {
        Ok(receipt) => messages::receipt(receipt, Place::Session(name)),
        Err(error) => Notice::refused(error, Place::Session(name)),
    };
    notice.quote = messages::quote(&text);
    if notice.tone == Tone::Failed {
        notice.draft = Some(Draft::Say(text));
    }
    reply::send(&context, notice, said.map(Answer::Receipt))
}
