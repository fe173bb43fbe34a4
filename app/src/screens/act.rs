//! Verbs on one session, each as a form with a button.

use leptos::prelude::*;
use wire::{Row, State};

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

/// Renders the available verbs. A verb that would only be refused is not offered.
#[component]
pub(crate) fn Acts(row: Row) -> impl IntoView {
    let name = row.name.clone();
    let act = |verb: &'static str, label: &'static str| {
        view! { <Act verb=verb label=label class="button small quiet" name=name.clone() /> }
    };
    match row.state {
        State::Absent | State::Stopped | State::Ended => act("start", "Start").into_any(),
        State::Running | State::Orphaned => (act("restart", "Restart"), act("stop", "Stop")).into_any(),
        State::Stopping => act("stop", "Stop").into_any(),
        State::Starting => (act("start", "Start"), act("stop", "Stop")).into_any(),
        State::Foreign | State::Unrecorded | State::Unknown | State::Unreadable => ().into_any(),
    }
}
