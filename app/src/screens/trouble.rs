//! The page without a list: shows every reason, verbatim, and the stop button, which works anyway.

use std::sync::Arc;

use leptos::prelude::*;

use crate::page::{Common, Trouble};

#[component]
pub(crate) fn TroubleBox(trouble: Trouble, common: Arc<Common>) -> impl IntoView {
    let (title, reasons) = match trouble {
        Trouble::Config(reasons) => ("The config is invalid, so sessions cannot be listed", reasons),
        Trouble::Other(reason) => ("Could not list the sessions", vec![reason]),
    };
    view! {
        <section class="trouble" id="trouble" role="alert" aria-labelledby="trouble-title">
            <h2 id="trouble-title">{title}</h2>
            <ul>
                {reasons.into_iter().map(|reason| view! { <li><code>{reason}</code></li> }).collect_view()}
            </ul>
            <p class="note">
                "Fix " <code>{common.shown(&common.config_file)}</code>
                ", which is read again for every request. Sessions keep running, and you can stop them here."
            </p>
        </section>
        <section class="rescue" id="rescue" aria-label="Stop sessions">
            <form method="post" action="/app/standing/stop" id="stop-one">
                <label for="stop-name">"Stop one session"</label>
                <input class="mono" id="stop-name" name="name" required=true autocomplete="off" spellcheck="false" />
                <button class="button" type="submit">
                    "Stop"
                </button>
            </form>
            <form method="post" action="/app/standing/stop" id="stop-all">
                <input type="hidden" name="all" value="true" />
                <button class="button quiet" type="submit">
                    "Stop all recorded sessions"
                </button>
            </form>
        </section>
    }
    .into_any()
}
