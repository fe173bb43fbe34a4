//! Mistakes below their fields.

use ::standing::Mistake;
use leptos::prelude::*;

use crate::screens::notice::MistakeText;

/// Renders the place below a field for what is wrong with it.
#[component]
pub(super) fn Wrong(field: &'static str, mistakes: Vec<Mistake>) -> impl IntoView {
    let own = mistakes.into_iter().filter(|mistake| mistake.field == field);
    view! {
        <div class="wrong" id=format!("wrong-{field}")>
            {own.map(|mistake| view! { <MistakeText mistake=mistake /> }).collect_view()}
        </div>
    }
    .into_any()
}

/// Returns the mark of a field with a mistake.
pub(super) fn wrong(mistakes: &[Mistake], field: &str) -> Option<&'static str> {
    mistakes.iter().any(|mistake| mistake.field == field).then_some("true")
}
