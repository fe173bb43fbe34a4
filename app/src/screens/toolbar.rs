//! Actions on the whole list: filter it, start sessions that are not running, create a session.

use leptos::prelude::*;
use wire::State;

use crate::{
    page::Page,
    query::{Kind, Query},
    screens::back::BackFields,
};

#[component]
pub(crate) fn Toolbar(page: Page) -> impl IntoView {
    let common = page.common.clone();
    let filter = common.query.filter.clone();
    let sessions = page.sessions();
    let startable = |state| matches!(state, State::Absent | State::Stopped | State::Ended);
    let idle = sessions.iter().filter(|session| startable(session.row.state)).count();
    let start_all = (idle > 1).then(|| {
        view! {
            <form method="post" action="/app/standing/start" id="start-all">
                <input type="hidden" name="all" value="true" />
                <BackFields back=filter.back() />
                <button class="button" type="submit">
                    "Start all"
                </button>
            </form>
        }
    });
    let new = Query { new: true, ..Query::plain(&filter) };
    // The empty page has this button in its middle.
    let create = (!sessions.is_empty()).then(|| {
        view! {
            <a class="button filled" href=new.address() data-opens="new" id="open-new" aria-keyshortcuts="n">
                "New session"
            </a>
        }
    });
    let filter = (!sessions.is_empty()).then(|| view! { <FilterForm page=page.clone() /> });
    view! {
        <div class="toolbar" id="toolbar">
            {filter}
            <div class="toolbar-end">{start_all} {create}</div>
        </div>
    }
    .into_any()
}

#[component]
fn FilterForm(page: Page) -> impl IntoView {
    let filter = page.common.query.filter.clone();
    let kind = |kind: Kind, label: &'static str| {
        let checked = filter.kind == kind;
        view! {
            <label>
                <input type="radio" name="show" value=kind.as_str() checked=checked />
                <span>{label}</span>
            </label>
        }
    };
    view! {
        <form class="filter" method="get" action="/" id="filter" role="search" data-filter="">
            <div class="filter-text">
                <label class="visually-hidden" for="filter-text">
                    "Filter by name or state"
                </label>
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                    <path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.4 10.4 14 14" />
                </svg>
                <input
                    type="search"
                    id="filter-text"
                    name="q"
                    value=filter.text.clone()
                    placeholder="Filter by name or state"
                    autocomplete="off"
                    spellcheck="false"
                    aria-keyshortcuts="/"
                />
                <kbd class="needs-script" aria-hidden="true">
                    "/"
                </kbd>
            </div>
            <fieldset class="segments">
                <legend class="visually-hidden">"Show"</legend>
                {kind(Kind::All, "All")}
                {kind(Kind::Declared, "Declared")}
                {kind(Kind::Created, "Created")}
            </fieldset>
            <button class="button without-script" type="submit">
                "Filter"
            </button>
        </form>
    }
    .into_any()
}
