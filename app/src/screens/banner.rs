//! The one banner above the list: tmux does not answer, since when, and what to do.

use leptos::prelude::*;

use crate::{
    page::Page,
    screens::{mark::Mark, menu::Copy},
    when::Moment,
};

/// Renders the banner; an empty place for it while tmux answers.
#[component]
pub(crate) fn Banner(page: Page) -> impl IntoView {
    let banner = page.blind.map(|blind| {
        view! {
            <div class="banner" role="alert">
                <Mark name="alert" />
                <p>
                    <b>"tmux does not answer since " <Moment time=blind.since /></b>
                </p>
                <p class="note">
                    "Rows show the last known state. Commands wait until tmux answers. Reason: " {blind.reason} "."
                </p>
                <Copy command="the-loop doctor" />
            </div>
        }
    });
    view! { <div id="banner">{banner}</div> }
}
