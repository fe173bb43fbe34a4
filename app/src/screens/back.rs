//! Hidden fields that bring the reader back to the same sessions after an act.

use leptos::prelude::*;

use crate::serverfns::Back;

/// Nothing at all unless a filter is in force.
#[component]
pub(crate) fn BackFields(back: Back) -> impl IntoView {
    let field = |name: &'static str, value: String| {
        (!value.is_empty()).then(|| view! { <input type="hidden" name=name value=value /> })
    };
    view! {
        {field("back[q]", back.q)}
        {field("back[show]", back.show)}
    }
    .into_any()
}
