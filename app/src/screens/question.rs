//! Prompt of a session, with its options.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Activity, Row, State};

use crate::{
    page::Common,
    screens::{back::BackFields, once::OnceField},
};

/// Renders the prompt as the session's screen shows it. Its options are buttons, none of them highlighted or
/// preselected. Each is selected by its own digit, and only while that exact prompt is open.
#[component]
pub(crate) fn Question(row: Row, common: Arc<Common>) -> impl IntoView {
    let asks = row.activity == Activity::Waiting && row.state == State::Running && !row.question.is_empty();
    asks.then(|| {
        let answers = (!row.choices.is_empty()).then(|| view! { <Answers row=row.clone() common=common /> });
        view! {
            <div class="question" role="group" aria-label=format!("Prompt of {}", row.name)>
                <pre>{row.question}</pre>
                {answers}
            </div>
        }
    })
}

#[component]
fn Answers(row: Row, common: Arc<Common>) -> impl IntoView {
    let Row { name, question, choices, .. } = row;
    let buttons = choices.into_iter().map(|choice| {
        view! {
            <button class="button answer" type="submit" name="choice" value=choice.key.clone()>
                <kbd>{choice.key.clone()}</kbd>
                {choice.text}
                <span class="visually-hidden">" in "{name.clone()}</span>
            </button>
        }
    });
    view! {
        <form class="answers" method="post" action="/app/standing/answer" id=format!("answer-{name}")>
            <input type="hidden" name="name" value=name.clone() />
            <input type="hidden" name="question" value=question />
            <OnceField />
            <BackFields back=common.query.filter.back() />
            {buttons.collect_view()}
        </form>
    }
    .into_any()
}
