//! List of entries with a head for each day, and the timeline of one session.

use ::standing::{
    SessionName,
    timeline::{Cursor, Entry, Kinds, TimelineQuery},
};
use jiff::Timestamp;
use leptos::prelude::*;

use super::{
    address::address,
    item::{Item, Scope},
    time,
};
use crate::AppContext;

/// Page of the timeline of one session.
#[derive(Clone, Debug)]
pub struct SessionTimeline {
    name: String,
    kinds: Kinds,
    entries: Result<Vec<Entry>, String>,
    older: Option<Cursor>,
    position: u64,
}

impl SessionTimeline {
    /// Returns the timeline of a session without entries.
    #[cfg(test)]
    pub(crate) fn empty(name: &str) -> Self {
        Self { name: name.to_owned(), kinds: Kinds::All, entries: Ok(Vec::new()), older: None, position: 0 }
    }

    /// Returns the position in the event log from which news follow this page.
    pub fn position(&self) -> u64 {
        self.position
    }
}

/// Reads the timeline of a session. `kind` is `messages` or empty, and `before` the place of the page, both as in its
/// address.
pub async fn of_session(context: &AppContext, name: &SessionName, kind: &str, before: &str) -> SessionTimeline {
    let kinds = if kind == Kinds::Messages.as_str() { Kinds::Messages } else { Kinds::All };
    let query = TimelineQuery { kinds, before: before.parse().ok(), ..TimelineQuery::of(name.clone()) };
    let page = context.engine().timeline(query).await;
    let (older, position) = page.as_ref().map(|page| (page.older, page.position)).unwrap_or_default();
    let entries = page.map(|page| page.entries).map_err(|error| error.to_string());
    SessionTimeline { name: name.to_string(), kinds, entries, older, position }
}

/// Renders the timeline of a session.
#[component]
pub fn Timeline(
    /// Data of the timeline.
    timeline: SessionTimeline,
) -> impl IntoView {
    let SessionTimeline { name, kinds, entries, older, position } = timeline;
    let path = format!("/standing/{name}");
    let to = |kinds: Kinds, before: &str| {
        format!("{}#timeline", address(&path, &[("kind", kinds.as_str()), ("before", before)]))
    };
    let choice = |one: Kinds, label: &'static str| {
        view! {
            <a href=to(one, "") aria-current=(one == kinds).then_some("true")>
                {label}
            </a>
        }
    };
    let empty = if kinds == Kinds::Messages { "No messages yet" } else { "No events yet" };
    view! {
        <section class="timeline" id="timeline" aria-labelledby="timeline-title" data-position=position.to_string()>
            <div class="timeline-head">
                <h2 id="timeline-title">"Timeline"</h2>
                <p class="seg">{choice(Kinds::All, "All")}{choice(Kinds::Messages, "Messages")}</p>
            </div>
            <div class="scroll" tabindex="0" role="group" aria-labelledby="timeline-title">
                <Entries entries=entries scope=Scope::Session empty=empty />
                {older.map(|older| view! { <Older href=to(kinds, &older.to_string()) /> })}
            </div>
        </section>
    }
    .into_any()
}

/// Renders entries with a head for each day; a line if there are none, and the reason if they could not be read.
#[component]
pub(crate) fn Entries(entries: Result<Vec<Entry>, String>, scope: Scope, empty: &'static str) -> impl IntoView {
    let entries = match entries {
        Ok(entries) if entries.is_empty() => return view! { <p class="none">{empty}</p> }.into_any(),
        Ok(entries) => entries,
        Err(reason) => return view! { <p class="none refused" role="alert">{reason}</p> }.into_any(),
    };
    let now = Timestamp::now();
    let mut days: Vec<(String, Vec<Entry>)> = Vec::new();
    for entry in entries {
        let day = time::day(entry.at);
        match days.last_mut() {
            Some((last, entries)) if *last == day => entries.push(entry),
            _ => days.push((day, vec![entry])),
        }
    }
    days.into_iter()
        .map(|(day, entries)| view! { <Day day=day entries=entries scope=scope now=now /> })
        .collect_view()
        .into_any()
}

/// Renders the entries of one day.
#[component]
fn Day(day: String, entries: Vec<Entry>, scope: Scope, now: Timestamp) -> impl IntoView {
    let items = entries.into_iter().map(|entry| view! { <Item entry=entry scope=scope /> }).collect_view();
    view! {
        <Head day=day.clone() scope=scope now=now />
        <ol data-day=day>{items}</ol>
    }
    .into_any()
}

/// Renders the head of a day, one level below the heading of its page or section.
#[component]
pub(crate) fn Head(day: String, scope: Scope, now: Timestamp) -> impl IntoView {
    let text = time::head(&day, now);
    match scope {
        Scope::Session => view! { <h3 class="day">{text}</h3> }.into_any(),
        Scope::All => view! { <h2 class="day">{text}</h2> }.into_any(),
    }
}

/// Renders the link to the page before this one.
#[component]
pub(crate) fn Older(href: String, #[prop(default = "Older")] label: &'static str) -> impl IntoView {
    view! {
        <a class="button small older" rel="next" href=href>
            {label}
        </a>
    }
}
