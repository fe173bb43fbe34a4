//! Prompt of a session, above the message box.

use leptos::prelude::*;
use wire::Row;

use crate::{
    look::has_prompt,
    screens::{Answers, Question},
};

/// Renders the prompt and its answers; an empty place without a prompt, so that the page keeps its structure.
#[component]
pub(crate) fn PromptBox(row: Row) -> impl IntoView {
    let prompt = has_prompt(&row).then(|| {
        view! {
            <section class="prompt" aria-label="Prompt">
                <Question row=row.clone() />
                <Answers row=row small=false />
            </section>
        }
    });
    view! { <div id="prompt">{prompt}</div> }.into_any()
}
