//! Actions on one session: those of its row, and the less common ones.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Row, State};

use crate::{page::Common, screens::act::Acts};

/// Renders the menu of a session, opened by the dots of its row.
#[component]
pub(crate) fn Menu(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let has_pane = matches!(
        row.state,
        State::Running | State::Starting | State::Stopping | State::Ended | State::Foreign | State::Unrecorded
    );
    let restore = (row.state == State::Unrecorded).then(|| {
        let command = format!("the-loop standing restore {name}");
        view! { <CopyLine label="Restore its record:" command=command /> }
    });
    let attach = has_pane.then(|| {
        let command = format!("{} attach -r -t '={}'", common.tmux, row.tmux_target);
        view! { <CopyLine label="View its terminal (read-only):" command=command /> }
    });
    let unreadable = (row.state == State::Unreadable).then(|| {
        view! { <p class="note">"Move the record away, or repair it, and start the session again. " {row.reason.clone()}</p> }
    });
    view! {
        <div class="menu-items" data-name=name.clone()>
            <p class="menu-title">{name.clone()}</p>
            <a class="item" href=format!("/standing/{name}")>
                "Open page"
            </a>
            <Acts row=row.clone() />
            {restore}
            {attach}
            {unreadable}
            <DeleteItem row=row common=common />
        </div>
    }
    .into_any()
}

/// Renders the link to the confirmation of a deletion, or the reason why there is none.
#[component]
pub(crate) fn DeleteItem(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    match row.state {
        _ if row.declared => {
            let file = common.shown(&common.config_file);
            view! {
                <p class="note">
                    "Declared in " <code>{file}</code> " under " <code>"standingSessions.sessions"</code>
                    ". To delete it, remove its entry there."
                </p>
            }
            .into_any()
        }
        State::Unrecorded | State::Unknown => ().into_any(),
        _ => view! {
            <a class="item danger" href=common.query.deleting(&name) data-opens="confirm" id=format!("delete-{name}")>
                "Delete…"
                <span class="visually-hidden">" "{name.clone()}</span>
            </a>
        }
        .into_any(),
    }
}

/// Renders a command with a button that copies it, and the words before it.
#[component]
pub(crate) fn CopyLine(label: &'static str, #[prop(into)] command: String) -> impl IntoView {
    view! {
        <div class="copy-line">
            <span class="copy-label">{label}</span>
            <Copy command=command />
        </div>
    }
    .into_any()
}

/// Renders a command with a button that copies it. The command can be selected without the button.
#[component]
pub(crate) fn Copy(#[prop(into)] command: String) -> impl IntoView {
    view! {
        <div class="copy">
            <code>{command.clone()}</code>
            <button class="button small quiet needs-script" type="button" data-copy=command>
                "Copy"
            </button>
        </div>
    }
    .into_any()
}
