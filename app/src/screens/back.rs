//! Hidden fields that keep the filter after an action.

use leptos::prelude::*;

use crate::serverfns::Back;

/// Renders the fields; nothing without a filter.
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
