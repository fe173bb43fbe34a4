//! Confirmation of a deletion. The cancel button has the focus, so that an accidental Enter deletes nothing.

use leptos::prelude::*;

use crate::{
    page::{Page, Session},
    query::Query,
    screens::{
        back::BackFields,
        state::{Appearance, Group},
    },
};

/// Renders a dialog with scripts, a section of the page without; empty unless the address requests it.
#[component]
pub(crate) fn DeleteDialog(page: Page) -> impl IntoView {
    let filter = page.common.query.filter.clone();
    let confirmed = page.confirmed().cloned();
    let open = confirmed.is_some();
    let body = confirmed.map(|Session { row, .. }| {
        let name = row.name.clone();
        let alive = matches!(Appearance::of(&row).group, Group::Running | Group::Waits);
        let what = if alive {
            "The session is running and will be stopped first. Its record is removed, so its conversation can no \
             longer be resumed from here."
        } else {
            "Its record is removed, so its conversation can no longer be resumed from here."
        };
        view! {
            <form method="post" action="/app/standing/delete" id="delete-form">
                <h2 id="delete-title">"Delete " <code>{name.clone()}</code> "?"</h2>
                <p>{what}</p>
                <input type="hidden" name="name" value=name.clone() />
                <BackFields back=filter.back() />
                <div class="dialog-acts">
                    <a class="button" href=Query::plain(&filter).address() data-closes="" autofocus=true>
                        "Cancel"
                    </a>
                    <button class="button danger" type="submit">
                        "Delete "
                        {name}
                    </button>
                </div>
            </form>
        }
    });
    view! {
        <dialog class="dialog" id="delete" open=open aria-labelledby="delete-title">
            {body}
        </dialog>
    }
    .into_any()
}
