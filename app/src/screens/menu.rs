//! Less common actions: restart, show the pane, delete.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Row, State};

use crate::{page::Common, query::Query, screens::card::Act};

#[component]
pub(crate) fn Menu(row: Row, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let back = common.query.filter.back();
    let restart = matches!(row.state, State::Running | State::Orphaned)
        .then(|| view! { <Act verb="restart" label="Restart" class="item" name=name.clone() back=back /> });
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
    let end = if row.declared {
        let file = common.shown(&common.config_file);
        view! {
            <p class="note">
                "Declared in " <code>{file}</code> " under " <code>"standingSessions.sessions"</code>
                ". To delete it, remove its entry there."
            </p>
        }
        .into_any()
    } else if row.state == State::Unrecorded {
        ().into_any()
    } else {
        let confirm = Query { confirm: Some(name.clone()), ..Query::plain(&common.query.filter) };
        view! {
            <a class="item danger" href=confirm.address() data-opens="delete" id=format!("delete-{name}")>
                "Delete…"
                <span class="visually-hidden">" "{name.clone()}</span>
            </a>
        }
        .into_any()
    };
    view! {
        <details class="menu" id=format!("menu-{name}") name="menu">
            <summary class="button quiet" aria-label=format!("More for {name}")>
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                    <circle class="solid" cx="3" cy="8" r="1.3" />
                    <circle class="solid" cx="8" cy="8" r="1.3" />
                    <circle class="solid" cx="13" cy="8" r="1.3" />
                </svg>
            </summary>
            <div class="menu-panel">{restart} {restore} {attach} {end}</div>
        </details>
    }
    .into_any()
}

/// Renders a command with a button that copies it. The command can be selected without the button.
#[component]
pub(crate) fn CopyLine(label: &'static str, #[prop(into)] command: String) -> impl IntoView {
    view! {
        <div class="copy-line">
            <span class="copy-label">{label}</span>
            <code>{command.clone()}</code>
            <button class="button small needs-script" type="button" data-copy=command>
                "Copy"
            </button>
        </div>
    }
    .into_any()
}
