//! Message box of a session.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Activity, Row, State};

use crate::{
    page::Common,
    screens::{back::BackFields, menu::CopyLine, once::OnceField, state::Appearance, typed::typed},
};

/// Renders the box: enabled for a running session, else disabled with the reason. The form is the same in every state,
/// so that typed text stays when the session changes.
#[component]
pub(crate) fn SayBox(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let waits = row.state == State::Running && row.activity == Activity::Waiting;
    let closed = Appearance::deaf(&row).filter(|_| !waits);
    let hint = closed.map_or_else(|| format!("Message {name}…"), str::to_owned);
    let answer = waits.then(|| {
        let command = format!("{} attach -t '={}'", common.tmux, row.tmux_target);
        let label = if row.choices.is_empty() { "Answer in its terminal:" } else { "Or answer in its terminal:" };
        view! { <CopyLine label=label command=command /> }
    });
    let draft = common.say_draft(&name).unwrap_or_default();
    let field = format!("text-{name}");
    let send = closed.is_none().then(|| {
        view! {
            <button class="button" type="submit">
                {if waits { "Send anyway" } else { "Send" }}
                <span class="visually-hidden">" to "{name.clone()}</span>
            </button>
        }
    });
    view! {
        {answer}
        <form class="say" method="post" action="/app/standing/say" id=format!("say-{name}") data-clears="">
            <input type="hidden" name="name" value=name.clone() />
            <OnceField />
            <BackFields back=common.query.filter.back() />
            <label class="visually-hidden" for=field.clone()>
                {format!("Message to {name}")}
            </label>
            <textarea
                id=field
                name="text"
                rows="1"
                placeholder=hint
                disabled=closed.is_some()
                required=true
                data-send=""
            >
                {typed(&draft)}
            </textarea>
            {send}
            {waits.then(|| view! { <Force /> })}
            {(!waits && !draft.is_empty()).then(|| view! { <SendFirst /> })}
        </form>
    }
    .into_any()
}

/// Renders the choice, after a refusal, to send the unsent text in the session's input box before the message.
#[component]
fn SendFirst() -> impl IntoView {
    view! {
        <label class="force">
            <input type="checkbox" name="force" value="true" />
            "First send the text in its input box"
        </label>
    }
}

/// Renders the confirmation that is needed to type into a prompt.
#[component]
fn Force() -> impl IntoView {
    view! {
        <label class="force">
            <input type="checkbox" name="force" value="true" required=true />
            "Send anyway. A prompt is open, and Enter may select an answer."
        </label>
    }
}
