//! Card of one session.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Row, State};

use crate::{
    notices::Place,
    page::{Common, Session},
    screens::{
        back::BackFields,
        facts::Facts,
        menu::Menu,
        notice::Slot,
        question::Question,
        say_box::SayBox,
        state::{Appearance, ShapeOf},
    },
};

/// Renders a session with its state, facts, actions and the content of its pane.
#[component]
pub(crate) fn Card(session: Session, hidden: bool, common: Arc<Common>) -> impl IntoView {
    let Session { row, screen } = session;
    let face = Appearance::of(&row);
    let name = row.name.clone();
    let badge = match (row.declared, row.auto_start) {
        (false, _) if row.state == State::Unrecorded => "no record",
        (true, true) => "declared",
        (true, false) => "declared, no auto-start",
        (false, _) => "created",
    };
    let description = (!row.description.is_empty()).then(|| view! { <p class="desc">{row.description.clone()}</p> });
    let pane = screen.map(|text| {
        let label = format!("Last output of {name}");
        view! {
            <pre class="pane" tabindex="0" role="region" aria-label=label>
                {text}
            </pre>
        }
    });
    view! {
        <article
            class="card"
            id=format!("session-{name}")
            data-name=name.clone()
            data-state=face.word
            data-colour=face.colour
            aria-labelledby=format!("name-{name}")
            tabindex="-1"
            hidden=hidden
        >
            <div class="card-head">
                <span class="mark"><ShapeOf face=face /></span>
                <div class="card-title">
                    <div class="name-line">
                        <h3 id=format!("name-{name}")>{name.clone()}</h3>
                        <span class="badge">{badge}</span>
                        {description}
                    </div>
                    <Facts row=row.clone() face=face common=common.clone() />
                </div>
                <Acts row=row.clone() common=common.clone() />
            </div>
            <Slot id=format!("acts-{name}") notice=common.notice_at(&Place::Acts(name.clone())) />
            <Question row=row.clone() common=common.clone() />
            {pane}
            <SayBox row=row common=common.clone() />
            <Slot id=format!("receipt-{name}") notice=common.notice_at(&Place::Say(name.clone())) keep=true />
        </article>
    }
    .into_any()
}

/// Renders the available actions. An action that would only be refused is not offered.
#[component]
fn Acts(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let back = common.query.filter.back();
    let act = |verb: &'static str, label: &'static str, class: &'static str| {
        view! { <Act verb=verb label=label class=class name=name.clone() back=back.clone() /> }
    };
    let buttons = match row.state {
        State::Absent | State::Stopped => act("start", "Start", "button").into_any(),
        State::Ended => act("start", "Start", "button filled").into_any(),
        State::Running | State::Stopping | State::Orphaned => act("stop", "Stop", "button quiet").into_any(),
        State::Starting => (act("start", "Start", "button quiet"), act("stop", "Stop", "button quiet")).into_any(),
        State::Foreign | State::Unrecorded | State::Unknown | State::Unreadable => ().into_any(),
    };
    view! {
        <div class="acts">{buttons}</div>
        <Menu row=row common=common />
    }
    .into_any()
}

/// Renders one verb as a button.
#[component]
pub(crate) fn Act(
    verb: &'static str,
    label: &'static str,
    class: &'static str,
    name: String,
    back: crate::serverfns::Back,
) -> impl IntoView {
    view! {
        <form method="post" action=format!("/app/standing/{verb}") id=format!("{verb}-{name}")>
            <input type="hidden" name="name" value=name.clone() />
            <BackFields back=back />
            <button class=class type="submit">
                {label}
                <span class="visually-hidden">" "{name.clone()}</span>
            </button>
        </form>
    }
    .into_any()
}
