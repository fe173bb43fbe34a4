//! Marks and icons of the sprite.

use leptos::prelude::*;

/// Renders a mark of the sprite, which is once in each page. The word beside it has the same meaning.
#[component]
pub(crate) fn Mark(name: &'static str, #[prop(optional)] class: Option<&'static str>) -> impl IntoView {
    view! {
        <svg class=class aria-hidden="true">
            <use href=format!("#i-{name}")></use>
        </svg>
    }
}
