//! Runs one verb on the sessions of a confirmation.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Runs a verb on each of the named sessions. Each session is refused or done on its own; the answer sums them up.
#[server(name = SelectedStanding, prefix = "/app", endpoint = "standing/selected")]
pub async fn selected(
    /// `start`, `stop`, `restart`, `say` or `delete`.
    #[server(default)]
    verb: String,
    /// Names of the sessions, separated by commas.
    #[server(default)]
    names: String,
    /// Text of the message, for `say`.
    #[server(default)]
    text: String,
    /// Key of the form: the same message, sent again with the same key, is typed once.
    #[server(default)]
    key: String,
) -> Result<Answer, Failure> {
    use engine::StandingApi as _;
    use wire::ControlVerb;

    use super::{messages, reply};
    use crate::{
        notices::{Notice, Place, Tone},
        query::Verb,
    };

    let context = reply::context();
    let engine = context.engine();
    let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
    let place = match &*names {
        [one] => Place::Session((*one).to_owned()),
        _ => Place::Page,
    };
    let control = |verb: ControlVerb| {
        let each = names.iter().map(move |name| {
            let request = wire::ControlRequest { name: (*name).to_owned(), verb };
            async move { engine.control(&request).await }
        });
        reply::each(each)
    };
    let verb = match Verb::parse(&verb) {
        Some(verb) if !names.is_empty() => verb,
        _ => {
            let refused = ::standing::Error::InvalidRequest("no session is selected: select one first".to_owned());
            let notice = Notice::refused(&refused, Place::Page);
            return reply::send(&context, notice, Err(refused));
        }
    };
    let text = reply::plain_lines(&text);
    let (notice, answer) = match verb {
        Verb::Start => messages::sum(&names, control(ControlVerb::Start).await, ControlVerb::Start, place),
        Verb::Restart => messages::sum(&names, control(ControlVerb::Restart).await, ControlVerb::Restart, place),
        Verb::Stop => messages::sum(&names, control(ControlVerb::Stop).await, ControlVerb::Stop, place),
        Verb::Delete => {
            let each = names.iter().map(|name| {
                let request = wire::DeleteRequest { name: (*name).to_owned() };
                async move { engine.delete(&request).await }
            });
            messages::sum(&names, reply::each(each).await, ControlVerb::Stop, place)
        }
        Verb::Say => {
            let each = names.iter().map(|name| {
                let request = wire::SayRequest {
                    name: (*name).to_owned(),
                    text: text.clone(),
                    force: false,
                    idempotency_key: reply::once(&key, &[name, &text]),
                    actor: reply::ACTOR.to_owned(),
                    wait: 0,
                };
                async move { engine.say(&request).await }
            });
            let (mut notice, answer) = messages::receipts(&names, reply::each(each).await, place);
            notice.quote = messages::quote(&text);
            if notice.tone == Tone::Failed && names.len() == 1 {
                notice.draft = Some(crate::notices::Draft::Say(text));
            }
            (notice, answer)
        }
    };
    reply::send(&context, notice, answer)
}
