//! The page before there is any session: what one is, and how to have one.

use leptos::prelude::*;

use crate::{page::Page, query::Query, standing::menu::CopyLine};

#[component]
pub(crate) fn Empty(page: Page) -> impl IntoView {
    let command = if page.default_harness_found() {
        "the-loop standing create supervisor"
    } else {
        "the-loop standing create supervisor --harness demo"
    };
    let new = Query { new: true, ..Query::default() };
    view! {
        <section class="empty" id="empty" aria-labelledby="empty-title">
            <h2 id="empty-title">"No session stands yet"</h2>
            <p>
                "A standing session is an agent with a name that owns no ticket: it runs in its own tmux session from \
                 the moment you start it until you stop it, and keeps its conversation in between."
            </p>
            <a class="button filled" href=new.address() data-opens="new">
                "New session"
            </a>
            <CopyLine label="or in a terminal" command=command />
            <p class="note">
                "Sessions that should exist on every start are declared in "
                <code>{page.common.shown(&page.common.config_file)}</code> " under "
                <code>"standingSessions.sessions"</code> "."
            </p>
        </section>
    }
    .into_any()
}
