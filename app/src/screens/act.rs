//! One verb on one session, as a form with a button.

use leptos::prelude::*;

/// Renders the button. Its label says what it does; screen readers also hear the name of the session.
#[component]
pub(crate) fn Act(verb: &'static str, label: &'static str, class: &'static str, name: String) -> impl IntoView {
    view! {
        <form method="post" action=format!("/app/standing/{verb}") id=format!("{verb}-{name}") data-act=verb>
            <input type="hidden" name="name" value=name.clone() />
            <button class=class type="submit">
                {label}
                <span class="visually-hidden">" "{name.clone()}</span>
            </button>
        </form>
    }
    .into_any()
}
