//! The page without sessions: explains them and offers to create one.

use leptos::prelude::*;

use crate::{page::Page, query::Query, screens::menu::CopyLine};

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
            <h2 id="empty-title">"No standing sessions yet"</h2>
            <p>
                "A standing session is a named, long-lived agent in a tmux session of its own. It runs until you \
                 stop it, and resumes its conversation when you start it again."
            </p>
            <a class="button filled" href=new.address() data-opens="new">
                "New session"
            </a>
            <CopyLine label="or from a terminal" command=command />
            <p class="note">
                "To have sessions on every start, declare them in "
                <code>{page.common.shown(&page.common.config_file)}</code> " under "
                <code>"standingSessions.sessions"</code> "."
            </p>
        </section>
    }
    .into_any()
}
