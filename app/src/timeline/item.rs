//! Entry of a timeline as an item of a list.

use ::standing::timeline::{Entry, EntryKind, TurnEnd};
use leptos::prelude::*;
use wire::{TurnState, Verdict};

use super::{
    said::Said,
    time::Clock,
    words::{self, Tone},
};
use crate::screens::Mark;

/// Page that an item is rendered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Page of one session.
    Session,
    /// Page of all sessions: each item names its session.
    All,
}

/// Returns the id of an item, which stays when its verdict changes.
pub(super) fn id_of(entry: &Entry) -> String {
    let message = matches!(entry.kind, EntryKind::Message | EntryKind::Answer) && !entry.message_id.is_empty();
    match entry.position {
        _ if message => format!("message-{}", entry.message_id),
        Some(position) => format!("event-{position}"),
        None => format!("event-{}", entry.at.as_millisecond()),
    }
}

/// Renders one entry.
#[component]
pub(crate) fn Item(entry: Entry, scope: Scope) -> impl IntoView {
    let verdict = entry.verdict.map(|verdict| match verdict {
        Verdict::NotDelivered => "refused",
        other => other.as_str(),
    });
    let session = (scope == Scope::All && !entry.session.is_empty()).then(|| {
        let name = entry.session.clone();
        view! {
            <a class="of" href=format!("/standing/{name}")>
                {entry.session.clone()}
            </a>
            " "
        }
    });
    let proof = words::proof_of(&entry).map(|(tone, text)| {
        let class = match tone {
            Tone::Plain => "proof",
            Tone::Unsure => "proof unsure",
            Tone::Refused => "proof refused",
        };
        view! { <p class=class>{text} <Again entry=entry.clone() /></p> }
    });
    let answer = entry.turn.clone().map(|turn| view! { <Answered turn=turn /> });
    view! {
        <li
            class="event"
            id=id_of(&entry)
            data-verdict=verdict
            data-failed=entry.failed.then_some("")
            data-event=entry.event.clone()
            data-session=entry.session.clone()
            data-surface=entry.surface.clone()
        >
            <Clock at=entry.at />
            <Mark name=words::mark_of(&entry) />
            <div>
                <div class="what">{session} <What entry=entry.clone() /></div>
                {proof}
                {answer}
            </div>
        </li>
    }
    .into_any()
}

/// Renders the end of the turn of a message: the answer, or the reason why there is none.
#[component]
fn Answered(turn: TurnEnd) -> impl IntoView {
    if turn.state == TurnState::Answered {
        return view! { <div class="answer">"answered " <Said text=turn.text cut_from=turn.cut_from /></div> }
            .into_any();
    }
    let text = if turn.text.is_empty() {
        turn.state.label().to_owned()
    } else {
        format!("{}: {}", turn.state.label(), turn.text)
    };
    view! { <p class="proof unsure">{text}</p> }.into_any()
}

/// Renders the sentence of an entry.
#[component]
fn What(entry: Entry) -> impl IntoView {
    let who = view! { <b>{words::who(&entry)}</b> };
    let through = words::through(&entry).map(|surface| format!(" via {surface}"));
    let text = match &entry.text {
        Some(text) => view! { <Said text=text.clone() cut_from=entry.cut_from /> }.into_any(),
        None => view! { <span class="not-kept">"text not kept"</span> }.into_any(),
    };
    match entry.kind {
        EntryKind::Message => view! { {who} {through} " " {text} }.into_any(),
        EntryKind::Answer => {
            let asked = entry.question.clone();
            let choice = entry.field("choice").to_owned();
            let chosen = match entry.text {
                Some(answer) => view! { <span class="said">{answer}</span> }.into_any(),
                None => view! { {choice} " " <span class="not-kept">"prompt not kept"</span> }.into_any(),
            };
            let asked = (!asked.is_empty()).then(|| view! { " to " <Said text=asked cut_from=None /> });
            view! { {who} {through} " answered " {chosen} {asked} }.into_any()
        }
        _ => {
            let sentence = words::sentence_of(&entry);
            view! { <b>{sentence.bold}</b> {sentence.rest} }.into_any()
        }
    }
}

/// Renders the button that puts an undelivered message into the message box of its session again. Without scripts, the
/// text itself can be copied. A text that was cut is not offered.
#[component]
fn Again(entry: Entry) -> impl IntoView {
    let undelivered = entry.kind == EntryKind::Message && entry.verdict == Some(Verdict::NotDelivered);
    let text = entry.text.filter(|_| undelivered && entry.cut_from.is_none());
    text.map(|text| {
        view! {
            <button class="again needs-script" type="button" data-again=text data-of=entry.session>
                "Send again"
            </button>
        }
    })
}
