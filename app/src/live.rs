//! The stream of a page: what changed, as HTML that the server rendered.
//!
//! A page names the rows that it has unfolded and the version that it shows. It then receives each row that changed, the
//! parts that follow from all rows, and short texts for last lines and measurements. Every event has a position, so a
//! page that lost its stream continues where it was.
//!
//! This module must not decide how events travel: the host writes them as server-sent events.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use ::engine::{Change, Snapshot, Subscription};
use leptos::prelude::*;
use serde::Serialize;
use wire::SessionName;

use crate::{
    context::AppContext,
    page::{Page, Session, of_snapshot},
    query::Query,
    screens::{Excerpt, parts, row_html},
    timeline::{EventsQuery, NewsOf, news},
};

/// Wants of a page: what it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Version of the list that the page shows; `None` for a page without a list, or of another instance.
    pub after: Option<u64>,
    /// Names of the unfolded rows.
    pub open: BTreeSet<String>,
    /// Names of the sessions whose own pages are open.
    pub pages: BTreeSet<String>,
    /// Timelines, each with the position in the event log from which it continues.
    pub logs: Vec<(Log, u64)>,
    /// Names of the sessions whose panes are in view.
    pub panes: BTreeSet<String>,
}

/// A timeline that is open: that of the Events page, or that of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    key: String,
    of: NewsOf,
}

impl Log {
    /// Parses `events` or `session:<name>`.
    pub fn parse(key: &str) -> Option<Self> {
        let of = match key.strip_prefix("session:") {
            Some(name) => NewsOf::Session { name: SessionName::parse(name).ok()?, kind: String::new() },
            None if key == "events" => NewsOf::Events(EventsQuery::default()),
            None => return None,
        };
        Some(Self { key: key.to_owned(), of })
    }
}

/// One event for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Name of the event.
    pub name: &'static str,
    /// Data: HTML or JSON.
    pub data: String,
    /// Version that the page shows afterwards; `None` for events that a later event repeats.
    pub version: Option<u64>,
}

/// Shortest time between two events about last lines and measurements. State changes do not wait for it.
const PACE: Duration = Duration::from_millis(400);

/// Stream of one page.
#[derive(Debug)]
pub struct Feed {
    context: AppContext,
    watch: Subscription,
    wants: Wants,
    /// Snapshot that the page shows.
    known: Arc<Snapshot>,
    /// Last text of each part.
    parts: HashMap<&'static str, String>,
    /// Last short texts of each row.
    texts: HashMap<String, Texts>,
    /// Last screen of each unfolded row.
    screens: HashMap<String, Option<String>>,
}

/// Parts of a row that change often, so they travel without the rest of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Texts {
    line: String,
    cpu: Option<u32>,
    memory: Option<u64>,
}

impl Texts {
    fn of(session: &Session) -> Self {
        let row = &session.row;
        let (cpu, memory) = if session.stale { (None, None) } else { (row.cpu, row.memory) };
        Self { line: row.last_line.clone(), cpu, memory }
    }

    /// Keeps the measurements that were sent before, if the new ones differ by little: a page at rest receives nothing.
    fn steady(mut self, before: Option<&Self>) -> Self {
        let Some(before) = before else { return self };
        if let (Some(now), Some(then)) = (self.cpu, before.cpu)
            && now.abs_diff(then) < 3
            && (now == 0) == (then == 0)
        {
            self.cpu = before.cpu;
        }
        if let (Some(now), Some(then)) = (self.memory, before.memory)
            && now.abs_diff(then) < then / 20
        {
            self.memory = before.memory;
        }
        self
    }
}

impl Serialize for Texts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cpu = self.cpu.map(|cpu| format!("{cpu} %")).unwrap_or_default();
        let memory = self.memory.map(crate::screens::bytes).unwrap_or_default();
        (&self.line, cpu, memory).serialize(serializer)
    }
}

impl Feed {
    /// Subscribes for a page.
    pub fn new(context: &AppContext, wants: Wants) -> Self {
        let watch = context.engine().watcher().subscribe();
        Self {
            context: context.clone(),
            watch,
            wants,
            known: Arc::default(),
            parts: HashMap::new(),
            texts: HashMap::new(),
            screens: HashMap::new(),
        }
    }

    /// Returns what the page does not show yet. `None` if the service is shutting down.
    pub async fn begin(&mut self) -> Option<Vec<Event>> {
        let now = self.watch.first().await?;
        let page = self.page(&now).await;
        self.remember(&page);
        self.known = Arc::clone(&now);
        let mut events = self.news().await;
        events.extend(self.behind(&now, &page));
        Some(events)
    }

    /// Returns the events that bring a page from its version to this one.
    fn behind(&self, now: &Arc<Snapshot>, page: &Page) -> Vec<Event> {
        let after = self.wants.after.unwrap_or(0);
        if after == now.version {
            return vec![at(now)];
        }
        // A later version is that of another instance, whose clock was ahead.
        if after > now.version || now.problem().is_some() {
            return vec![reload(now)];
        }
        let changed: BTreeSet<&str> = now.changed_since(after).map(|row| row.name.as_str()).collect();
        let mut events: Vec<Event> = self.rows(page, &changed);
        let names: Vec<&str> = now.rows().iter().map(|row| row.name.as_str()).collect();
        events.push(json("names", &names));
        events.push(json("texts", &self.texts));
        events.extend(self.parts.values().map(|html| part(html)));
        events.push(at(now));
        events
    }

    /// Returns what is new in the timelines.
    async fn news(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        for (log, position) in &mut self.wants.logs {
            let news = news(&self.context, &log.of, *position).await;
            *position = news.position;
            if !news.items.is_empty() || news.gap {
                let items: Vec<[&str; 4]> =
                    news.items.iter().map(|item| [&*item.id, &*item.html, &*item.day, &*item.head]).collect();
                events.push(json("log", &(&log.key, news.position, news.gap, items)));
            }
        }
        events
    }

    /// Waits for the next change. The caller may stop waiting at any time.
    pub async fn changed(&mut self) -> Change {
        self.watch.shown().await
    }

    /// Returns the events of a change. `None` if the service is shutting down.
    pub async fn events(&mut self, change: Change) -> Option<Vec<Event>> {
        match change {
            Change::Over => None,
            Change::Log => Some(self.news().await),
            Change::Sessions => Some(self.sessions().await),
            Change::Shown => match tokio::time::timeout(PACE, self.watch.changed()).await {
                Ok(Change::Over) => None,
                Ok(Change::Log) => Some(self.news().await),
                Ok(Change::Sessions | Change::Shown) => Some(self.sessions().await),
                Err(_) => {
                    let now = self.watch.snapshot();
                    let page = self.page(&now).await;
                    Some(self.texts_of(&page))
                }
            },
        }
    }

    /// Returns the events for a list that changed.
    async fn sessions(&mut self) -> Vec<Event> {
        let now = self.watch.snapshot();
        let before = std::mem::replace(&mut self.known, Arc::clone(&now));
        let emptied = before.rows().is_empty() != now.rows().is_empty();
        if before.problem() != now.problem() || emptied {
            let page = self.page(&now).await;
            self.remember(&page);
            return vec![reload(&now)];
        }
        let page = self.page(&now).await;
        // Rows show the last known state while tmux is silent, so all of them change when that begins or ends.
        let silence = before.blind.is_some() != now.blind.is_some();
        let since = if silence { 0 } else { before.version };
        let changed: BTreeSet<&str> = now.changed_since(since).map(|row| row.name.as_str()).collect();
        let mut events = self.rows(&page, &changed);
        events.extend(now.gone_since(&before).map(|name| Event { name: "gone", data: name.to_owned(), version: None }));
        events.extend(self.parts_of(&page));
        events.extend(self.texts_of(&page));
        events.push(at(&now));
        events
    }

    async fn page(&self, now: &Arc<Snapshot>) -> Page {
        let query = Query::default();
        of_snapshot(&self.context, Arc::clone(now), query).await
    }

    /// Returns the rows with these names. An unfolded row is sent in both forms, since several tabs read one stream.
    fn rows(&self, page: &Page, names: &BTreeSet<&str>) -> Vec<Event> {
        let mut events = Vec::new();
        for session in page.sessions().iter().filter(|session| names.contains(session.row.name.as_str())) {
            let name = &session.row.name;
            events.push(Event { name: "row", data: row_html(session, &page.common).to_string(), version: None });
            if self.wants.open.contains(name) {
                let open = Session { open: true, ..session.clone() };
                events.push(Event { name: "open", data: row_html(&open, &page.common).to_string(), version: None });
            }
            if self.wants.pages.contains(name) {
                events.push(Event { name: "changed", data: name.clone(), version: None });
            }
        }
        events
    }

    /// Notes what a page shows that was rendered from this data.
    fn remember(&mut self, page: &Page) {
        let _ = (self.parts_of(page), self.texts_of(page));
    }

    fn parts_of(&mut self, page: &Page) -> Vec<Event> {
        let rendered = parts(page).into_iter();
        let changed = rendered.filter(|(id, html)| self.parts.get(id) != Some(html)).collect::<Vec<_>>();
        changed
            .into_iter()
            .map(|(id, html)| {
                let event = part(&html);
                self.parts.insert(id, html);
                event
            })
            .collect()
    }

    fn texts_now(&self, session: &Session) -> Texts {
        Texts::of(session).steady(self.texts.get(&session.row.name))
    }

    fn texts_of(&mut self, page: &Page) -> Vec<Event> {
        let mut events = Vec::new();
        let mut changed: HashMap<&str, &Texts> = HashMap::new();
        let texts: HashMap<String, Texts> =
            page.sessions().iter().map(|session| (session.row.name.clone(), self.texts_now(session))).collect();
        for (name, text) in &texts {
            if self.texts.get(name) != Some(text) {
                changed.insert(name, text);
            }
        }
        if !changed.is_empty() {
            events.push(json("texts", &changed));
        }
        self.texts = texts;
        let open = page.sessions().iter().filter(|session| self.wants.open.contains(&session.row.name));
        let screens: HashMap<String, Option<String>> =
            open.map(|session| (session.row.name.clone(), session.screen.clone())).collect();
        for (name, screen) in &screens {
            if let (Some(text), true) = (screen, self.screens.get(name) != Some(screen)) {
                let html = view! { <Excerpt name=name.clone() text=text.clone() /> }.to_html();
                events.push(Event { name: "part", data: html, version: None });
            }
        }
        self.screens = screens;
        events
    }
}

/// Tells the page to fetch itself again: its structure changes, or it is of another instance.
fn reload(now: &Snapshot) -> Event {
    Event { name: "reload", data: String::new(), version: Some(now.version) }
}

fn part(html: &str) -> Event {
    Event { name: "part", data: html.to_owned(), version: None }
}

fn at(now: &Snapshot) -> Event {
    Event { name: "at", data: String::new(), version: Some(now.version) }
}

fn json(name: &'static str, data: &impl Serialize) -> Event {
    Event { name, data: serde_json::to_string(data).unwrap_or_default(), version: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_that_hardly_changes_is_not_sent_again() {
        let texts = |cpu, memory| Texts { line: String::new(), cpu: Some(cpu), memory: Some(memory) };
        let sent = texts(10, 100);
        assert_eq!(texts(12, 104).steady(Some(&sent)), sent);
        assert_eq!(texts(13, 105).steady(Some(&sent)), texts(13, 105));
        assert_eq!(texts(0, 100).steady(Some(&texts(1, 100))), texts(0, 100), "it is at rest now");
        assert_eq!(texts(0, 100).steady(None), texts(0, 100));
        assert_eq!(serde_json::to_string(&texts(3, 312_000_000)).expect("JSON"), r#"["","3 %","312 MB"]"#);
    }
}
