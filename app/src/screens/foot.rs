//! The foot of the list: the stopped sessions in one line, the selection, and the most used keys.

use leptos::prelude::*;

use crate::{
    look::{Appearance, Group},
    page::FEW,
    page::Page,
    query::{Query, Verb},
    screens::{list::is_folded, mark::Mark},
};

/// Renders the foot. The browser shows the selection in its place.
#[component]
pub(crate) fn Foot(page: Page) -> impl IntoView {
    let query = page.common.query.clone();
    let summary = page.summary();
    let stopped = summary.of_group(Group::Stopped);
    let many = summary.all > FEW;
    let folded = is_folded(&summary, &query);
    let line = (many && stopped > 0).then(|| {
        let startable = page.sessions().iter().filter(|session| Appearance::of(&session.row).group == Group::Stopped);
        let names = startable.map(|session| session.row.name.clone()).collect();
        let start = query.confirming(Verb::Start, names);
        let show = Query { stopped: folded, ..query.plain() };
        view! {
            <p class="stopped-line" id="stopped-line">
                <Mark name="stopped" />
                <span>{format!("{stopped} stopped")}</span>
                <a class="button small quiet" href=show.address() data-fold="" aria-expanded=if folded { "false" } else { "true" }>
                    {if folded { "Show" } else { "Hide" }}
                    <span class="visually-hidden">" stopped sessions"</span>
                </a>
                <a class="button small quiet" href=start.address() data-opens="confirm">
                    "Start…"
                    <span class="visually-hidden">" stopped sessions"</span>
                </a>
            </p>
        }
    });
    let hint = |keys: &'static [&'static str], what: &'static str| {
        view! { <span>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view()} " " {what}</span> }
    };
    view! {
        <footer class="foot" id="foot">
            {line}
            <p class="hints needs-script" aria-hidden="true">
                {hint(&["↑", "↓"], "move")} {hint(&["Enter"], "unfold")} {hint(&["o"], "open")} {hint(&["m"], "message")}
                {hint(&["x"], "select")} {hint(&["?"], "all keys")}
            </p>
        </footer>
        <div class="foot" id="selection" hidden=true>
            <b id="selected"></b>
            <button class="button small" type="button" data-selected="say">
                "Message…"
            </button>
            <button class="button small quiet" type="button" data-selected="start">
                "Start…"
            </button>
            <button class="button small quiet" type="button" data-selected="restart">
                "Restart…"
            </button>
            <button class="button small quiet danger" type="button" data-selected="stop">
                "Stop…"
            </button>
            <button class="button small quiet" type="button" data-selected="">
                "Clear " <kbd>"Esc"</kbd>
            </button>
        </div>
    }
    .into_any()
}
