//! Events page: the event log of all sessions, filtered by a plain form.

use ::standing::timeline::{Cursor, Entry, Timeline};
use leptos::prelude::*;

use super::{
    address::{EventsQuery, Mistakes},
    form::FilterForm,
    item::Scope,
    list::{Entries, Older},
};
use crate::{
    AppContext,
    shell::{Assets, Document, Nav},
};

/// Data of the Events page.
#[derive(Clone, Debug)]
pub struct EventsPage {
    query: EventsQuery,
    mistakes: Mistakes,
    names: Vec<String>,
    entries: Result<Vec<Entry>, String>,
    older: Option<Cursor>,
    position: u64,
}

impl EventsPage {
    /// Returns the position in the event log from which news follow this page.
    pub fn position(&self) -> u64 {
        self.position
    }
}

#[cfg(test)]
impl EventsPage {
    /// Returns the page of an empty log, for a test.
    pub(super) fn empty(query: EventsQuery) -> Self {
        let mistakes = query.for_core().1;
        Self { query, mistakes, names: vec!["ops".to_owned()], entries: Ok(Vec::new()), older: None, position: 0 }
    }
}

/// Reads the data of the Events page. A filter with a mistake shows no entries, so that no entry seems to match it.
pub async fn load_events(context: &AppContext, query: EventsQuery) -> EventsPage {
    let (core, mistakes) = query.for_core();
    let names = context.engine().timeline_sessions().await.iter().map(ToString::to_string).collect();
    let page = if mistakes.any() { Ok(Timeline::default()) } else { context.engine().timeline(core).await };
    let (older, position) = page.as_ref().map(|page| (page.older, page.position)).unwrap_or_default();
    let entries = page.map(|page| page.entries).map_err(|error| error.to_string());
    EventsPage { query, mistakes, names, entries, older, position }
}

/// Renders the document of the Events page.
#[component]
pub fn EventsShell(
    /// Addresses of the files.
    assets: Assets,
    /// Data of the page.
    page: EventsPage,
) -> impl IntoView {
    view! {
        <Document assets=assets title="Events · the-loop" current=Nav::Events>
            <Events page=page.clone() />
        </Document>
    }
    .into_any()
}

/// Renders the content of the Events page.
#[component]
pub(crate) fn Events(page: EventsPage) -> impl IntoView {
    let EventsPage { query, mistakes, names, entries, older, position } = page;
    let newest = query.is_older().then(|| {
        let href = query.address(None);
        view! { <a class="button small" href=href>"Newest"</a> }
    });
    let found = entries.as_ref().is_ok_and(|entries| !entries.is_empty());
    let empty = match (mistakes.any(), &older) {
        (true, _) => "Correct the filter to see events.",
        (false, Some(_)) => "No events match this filter in the part of the log that was searched.",
        (false, None) if query.is_older() => "No earlier events",
        (false, None) if query.filters() => "No events match this filter.",
        (false, None) => "No events yet",
    };
    let earlier = older.map(|older| {
        let href = query.address(Some(older));
        let label = if found { "Older" } else { "Search older events" };
        view! { <Older href=href label=label /> }
    });
    // A page of earlier entries does not change.
    let live = (!query.is_older() && !mistakes.any()).then(|| position.to_string());
    view! {
        <main class="events" id="main" tabindex="-1" data-position=live>
            <div class="events-head">
                <h1>"Events"</h1>
                {newest}
            </div>
            <FilterForm query=query.clone() mistakes=mistakes names=names />
            <section class="timeline" aria-label="Events">
                <Entries entries=entries scope=Scope::All empty=empty />
                {earlier}
            </section>
        </main>
    }
    .into_any()
}
