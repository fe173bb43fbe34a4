//! The message box, where the session is.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Activity, Row, State};

use crate::{
    page::Common,
    standing::{back::BackFields, menu::CopyLine, state::Face, typed::typed},
};

/// Open where the session runs; closed with the reason where it does not.
#[component]
pub(crate) fn SayBox(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let deaf = Face::deaf(&row);
    let waits = row.state == State::Running && row.activity == Activity::Waiting;
    let draft = common.say_draft(&name).unwrap_or_default();
    if !waits {
        let hint = deaf.map_or_else(|| format!("Message {name}…"), str::to_owned);
        return view! { <SayForm name=name hint=hint draft=draft closed=deaf.is_some() force=false common=common /> }
            .into_any();
    }
    let command = format!("{} attach -t '={}'", common.tmux, row.tmux_target);
    let open = !draft.is_empty();
    view! {
        <div class="answer">
            <CopyLine label="Answer it in its own pane" command=command />
            <details id=format!("force-{name}") open=open>
                <summary>"Type a message into the question all the same"</summary>
                <p class="note">
                    "The text is pasted into whatever the question takes, and Enter is sent: that may choose an answer."
                </p>
                <SayForm name=name.clone() hint="Message…".to_owned() draft=draft closed=false force=true common=common />
            </details>
        </div>
    }
    .into_any()
}

#[component]
fn SayForm(name: String, hint: String, draft: String, closed: bool, force: bool, common: Arc<Common>) -> impl IntoView {
    let field = format!("text-{name}");
    view! {
        <form class="say" method="post" action="/app/standing/say" id=format!("say-{name}") data-clears="">
            <input type="hidden" name="name" value=name.clone() />
            {force.then(|| view! { <input type="hidden" name="force" value="true" /> })}
            <BackFields back=common.query.filter.back() />
            <label class="for-ears" for=field.clone()>
                {format!("Message to {name}")}
            </label>
            <textarea id=field name="text" rows="1" placeholder=hint disabled=closed required=true data-send="">
                {typed(&draft)}
            </textarea>
            {(!closed)
                .then(|| {
                    view! {
                        <button class="button" type="submit">
                            {if force { "Type it" } else { "Send" }}
                            <span class="for-ears">" to "{name.clone()}</span>
                        </button>
                    }
                })}
        </form>
    }
    .into_any()
}
