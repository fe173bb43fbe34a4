//! Page of one session: its pane, its prompt and message box, and the facts about it.
//!
//! The pane is rendered by the server as text with classes. With scripts, the stream of the page brings each changed
//! line; without, the page is fetched again.

mod about;
mod ansi;
mod feed;
mod head;
mod load;
mod missing;
mod pane;
mod prompt;
mod spark;

use ::standing::Blind;
use leptos::prelude::*;

use crate::{
    notices::Place,
    screens::{Mark, SayBox, Slot},
    shell::{Assets, Document, Nav, Refresh},
    timeline::Timeline,
    when::Moment,
};
use about::About;
use head::{Head, Tabs};
use pane::PaneBox;
use prompt::PromptBox;

pub use feed::PaneFeed;
pub use load::{Found, SessionPage, Tab, load_session};
pub use missing::{MissingPage, MissingShell, MissingShellProps};
pub use pane::scrollback_part;

/// Renders the document of a session.
#[component]
pub fn SessionShell(
    /// Addresses of the files.
    assets: Assets,
    /// Data of the page.
    page: SessionPage,
) -> impl IntoView {
    let title = format!("{} · {} · the-loop", page.session.row.name, page.session.row.label());
    let version = page.version.to_string();
    let (here, query) = (format!("/standing/{}", page.session.row.name), &page.common.query);
    let refresh =
        if query.hold { Refresh::Held { resume: here } } else { Refresh::Often { hold: format!("{here}?hold") } };
    view! {
        <Document assets=assets title=title current=Nav::Standing refresh=refresh version=version>
            <SessionScreen page=page.clone() />
        </Document>
    }
    .into_any()
}

#[component]
fn SessionScreen(page: SessionPage) -> impl IntoView {
    let row = page.session.row.clone();
    let (name, common) = (row.name.clone(), page.common.clone());
    let (place, tab) = (Place::Session(name.clone()), page.tab.as_str());
    view! {
        <main id="main" tabindex="-1" class="session-page" data-view="session" data-session=name.clone() data-tab=tab>
            <Head page=page.clone() />
            <Tabs name=name.clone() tab=page.tab />
            <section class="work" aria-label="Pane and messages">
                <Silence blind=page.blind.clone() />
                <PaneBox page=page.clone() />
                <PromptBox row=row.clone() />
                <div class="dock">
                    <Slot id="notice-page" notice=common.notice_at(&Place::Page) />
                    <Slot id=format!("receipt-{name}") notice=common.notice_at(&place) />
                    <SayBox row=row common=common />
                </div>
            </section>
            <aside class="side" id="side" aria-label="About and timeline" tabindex="-1">
                <About page=page.clone() />
                <Timeline timeline=page.timeline />
            </aside>
            <dialog class="dialog small" id="confirm" aria-labelledby="confirm-title"></dialog>
        </main>
    }
    .into_any()
}

/// Renders the reason why the page may be out of date; an empty place for it while tmux answers.
#[component]
fn Silence(blind: Option<Blind>) -> impl IntoView {
    let banner = blind.map(|blind| {
        view! {
            <div class="banner" role="alert">
                <Mark name="alert" />
                <p>
                    <b>"tmux does not answer since " <Moment time=blind.since /></b>
                </p>
                <p class="note">
                    "The pane shows the last known screen. Commands wait until tmux answers. Reason: " {blind.reason} "."
                </p>
            </div>
        }
    });
    view! { <div id="banner">{banner}</div> }.into_any()
}

#[cfg(test)]
mod tests;
