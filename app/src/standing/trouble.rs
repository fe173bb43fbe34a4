//! There is no list: every reason, verbatim, and stop, which works all the same.

use std::sync::Arc;

use leptos::prelude::*;

use crate::{
    page::{Common, Trouble},
    standing::back::BackFields,
};

#[component]
pub(crate) fn TroubleBox(trouble: Trouble, common: Arc<Common>) -> impl IntoView {
    let (title, reasons) = match trouble {
        Trouble::Config(reasons) => ("The config cannot be used, so nothing is listed", reasons),
        Trouble::Other(reason) => ("The sessions cannot be listed", vec![reason]),
    };
    view! {
        <section class="trouble" id="trouble" role="alert" aria-labelledby="trouble-title">
            <h2 id="trouble-title">{title}</h2>
            <ul>
                {reasons.into_iter().map(|reason| view! { <li><code>{reason}</code></li> }).collect_view()}
            </ul>
            <p class="note">
                "Mend " <code>{common.shown(&common.config_file)}</code>
                ": it is read again for every request. Until then sessions keep running, and stop works."
            </p>
        </section>
        <section class="rescue" id="rescue" aria-label="Stop sessions">
            <form method="post" action="/app/standing/stop" id="stop-one">
                <BackFields back=common.query.filter.back() />
                <label for="stop-name">"Stop one session"</label>
                <input class="mono" id="stop-name" name="name" required=true autocomplete="off" spellcheck="false" />
                <button class="button" type="submit">
                    "Stop"
                </button>
            </form>
            <form method="post" action="/app/standing/stop" id="stop-all">
                <input type="hidden" name="all" value="true" />
                <BackFields back=common.query.filter.back() />
                <button class="button quiet" type="submit">
                    "Stop every recorded session"
                </button>
            </form>
        </section>
    }
    .into_any()
}
