//! Message box of a session.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Activity, Row, State};

use crate::{
    look::Appearance,
    page::Common,
    screens::{once::OnceField, typed::typed},
};

/// Renders the box. The form is the same in every state, so that typed text stays when the session changes. The style
/// sheet hides an empty box that cannot be sent.
///
/// While a prompt is open, only the button sends anyway: a key that was pressed for a session without a prompt must not
/// answer one that has just opened.
#[component]
pub(crate) fn SayBox(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let waits = row.state == State::Running && row.activity == Activity::Waiting;
    let closed = Appearance::deaf(&row).filter(|_| !waits);
    let draft = common.say_draft(&name).unwrap_or_default();
    let field = format!("text-{name}");
    let send = closed.is_none().then(|| {
        view! {
            <button class="button small" type="submit" name=waits.then_some("force") value=waits.then_some("true")>
                {if waits { "Send anyway" } else { "Send" }}
                <span class="visually-hidden">" to "{name.clone()}</span>
            </button>
        }
    });
    let why = closed.or(waits.then_some("A prompt is open, and Enter may select an answer."));
    view! {
        <form
            class="say"
            method="post"
            action="/app/standing/say"
            id=format!("say-{name}")
            data-clears=""
            data-closed=closed.map(|_| "")
        >
            <input type="hidden" name="name" value=name.clone() />
            <OnceField />
            <div class="send">
                <label class="visually-hidden" for=field.clone()>
                    {format!("Message to {name}")}
                </label>
                <textarea id=field name="text" rows="1" placeholder=format!("Message {name}") required=true data-send="">
                    {typed(&draft)}
                </textarea>
                {send}
            </div>
            {why.map(|why| view! { <p class="send-hint">{why}</p> })}
        </form>
    }
    .into_any()
}
