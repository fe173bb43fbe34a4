//! The stream of the page: what this tab shows, the events that change it, and what happens when it breaks off.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Event, EventSource, MessageEvent};

use super::{
    document, first, get, listen, log, now, page, pane, parts, root, rows, set, stale,
    tabs::{self, Message},
    tell, unfold, view, wait, wants, window,
};

/// Events of the stream.
const EVENTS: [&str; 11] = ["row", "open", "gone", "names", "texts", "part", "changed", "at", "reload", "mode", "beat"];

/// Time between two beats of the service, in milliseconds, unless it says otherwise.
const BEAT: f64 = 15_000.0;

/// Pauses between two attempts to connect: the first, and the longest.
const PAUSES: (i32, i32) = (1_000, 30_000);

/// Wants of another tab.
#[derive(Clone, Debug, PartialEq)]
struct Tab {
    version: u64,
    query: String,
    visible: bool,
}

thread_local! {
    /// ID of this tab.
    static ME: RefCell<String> = const { RefCell::new(String::new()) };
    /// The other tabs, known to the reader.
    static TABS: RefCell<Vec<(String, Tab)>> = const { RefCell::new(Vec::new()) };
    static SOURCE: RefCell<Option<EventSource>> = const { RefCell::new(None) };
    /// Address of the open stream, without its version.
    static QUERY: RefCell<String> = const { RefCell::new(String::new()) };
    /// Time of the last sign of life, in milliseconds since the page was opened.
    static ALIVE: Cell<f64> = const { Cell::new(0.0) };
    static PAUSE: Cell<i32> = const { Cell::new(PAUSES.0) };
    /// Counts the attempts to connect, so that an old one does nothing.
    static ATTEMPT: Cell<u32> = const { Cell::new(0) };
}

/// Joins the stream of the browser's tabs.
pub(super) fn attach() {
    let version = get(&root(), "data-version").parse().unwrap_or(0);
    // A page without a version has no stream.
    if version == 0 && first("[data-position], [data-pane]").is_none() {
        return;
    }
    wants::show(version);
    ALIVE.set(now());
    ME.set(random());
    listen(&document(), "visibilitychange", |_| wants_changed());
    listen(&window(), "pagehide", |_| ME.with_borrow(|me| tabs::post(&Message::Bye { tab: me })));
    listen(&window(), "pageshow", |_| wants_changed());
    listen(&window(), "online", |_| revive());
    listen(&window(), "focus", |_| spawn_local(look()));
    wants::follow(wants_changed);
    tabs::attach(told, lead);
    wants_changed();
    spawn_local(watch());
}

/// Tells the reader what this tab wants. Called when a row is unfolded or folded, and when the page changes.
fn wants_changed() {
    if tabs::is_reader() {
        connect_if_needed(wants::shown());
    } else {
        ME.with_borrow(|me| {
            let query = wants::query();
            let visible = view::is_visible();
            tabs::post(&Message::Wants { tab: me, version: wants::shown(), query: &query, visible });
        });
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a random number, positive and small")]
fn random() -> String {
    ((web_sys::js_sys::Math::random() * 1e15) as u64).to_string()
}

fn forget(tab: &str) {
    TABS.with_borrow_mut(|tabs| tabs.retain(|(name, _)| name != tab));
}

/// Handles a message of another tab.
fn told(message: &Message<'_>) {
    match *message {
        Message::Who => wants_changed(),
        Message::Event { name, id, data } => dispatch(name, id, data),
        Message::Bye { tab } => {
            forget(tab);
            if tabs::is_reader() {
                connect_if_needed(u64::MAX);
            }
        }
        Message::Wants { tab, version, query, visible } if tabs::is_reader() => {
            let wants = Tab { version, query: query.to_owned(), visible };
            forget(tab);
            TABS.with_borrow_mut(|tabs| tabs.push((tab.to_owned(), wants)));
            TABS.with_borrow(|tabs| view::others_are_visible(tabs.iter().any(|(_, tab)| tab.visible)));
            connect_if_needed(version);
            let mode = get(&root(), "data-mode");
            tabs::post(&Message::Event { name: "mode", id: "", data: &mode });
            // The other tab may have signed in for all of them.
            if stale::is_marked() {
                spawn_local(look());
            }
        }
        Message::Wants { .. } => {}
    }
}

/// Begins to read the stream for all tabs.
fn lead() {
    connect_if_needed(wants::shown());
}

/// Connects, unless the open stream has everything that the tabs want. `from` is a version that a tab shows.
fn connect_if_needed(from: u64) {
    let mut wanted = wants::query();
    TABS.with_borrow(|tabs| {
        for (_, tab) in tabs.iter().filter(|(_, tab)| !tab.query.is_empty()) {
            if !wanted.contains(&tab.query) {
                wanted.push('&');
                wanted.push_str(&tab.query);
            }
        }
    });
    let open = SOURCE.with_borrow(Option::is_some);
    let behind = from < wants::shown();
    if open && !behind && QUERY.with_borrow(|query| *query == wanted) {
        return;
    }
    QUERY.set(wanted);
    connect(from.min(wants::shown()));
}

fn connect(from: u64) {
    close();
    let attempt = ATTEMPT.get() + 1;
    ATTEMPT.set(attempt);
    let version = from.to_string();
    let address = QUERY.with_borrow(|query| ["/app/stream?after=", &version, "&", query].concat());
    let Ok(source) = EventSource::new(&address) else { return };
    for name in EVENTS.into_iter().chain(["pane", "log"]) {
        listen(&source, name, received);
    }
    listen(&source, "error", failed);
    SOURCE.set(Some(source));
}

fn close() {
    if let Some(source) = SOURCE.take() {
        source.close();
    }
}

fn received(event: &Event) {
    // An event of a closed stream that was on its way is not lost: the next stream begins before it.
    if !is_of_open_stream(event) {
        return;
    }
    let Some(message) = event.dyn_ref::<MessageEvent>() else { return };
    let (name, id) = (event.type_(), message.last_event_id());
    let data = message.data().as_string().unwrap_or_default();
    if TABS.with_borrow(|tabs| !tabs.is_empty()) {
        tabs::post(&Message::Event { name: &name, id: &id, data: &data });
    }
    dispatch(&name, &id, &data);
}

fn is_of_open_stream(event: &Event) -> bool {
    let from = event.target();
    SOURCE.with_borrow(|source| source.as_ref().is_some_and(|source| from.as_ref() == Some(source.as_ref())))
}

fn dispatch(name: &str, id: &str, data: &str) {
    if name == "failure" {
        return stale::told(id, data);
    }
    ALIVE.set(now());
    PAUSE.set(PAUSES.0);
    // The first event of a stream: the service has just let this browser in.
    if name == "mode" {
        stale::answered();
    } else {
        stale::alive();
    }
    match name {
        "row" => changed(data, false),
        "open" => changed(data, true),
        // The page of a session that was deleted finds that out.
        "changed" | "gone" if is_page_of(data) => page::refresh(),
        "gone" => rows::gone(data),
        "names" => rows::only(data),
        "texts" => rows::texts(data),
        "part" => parts::changed(data),
        "pane" => pane::changed(data),
        "at" => {
            if let Ok(version) = id.parse() {
                wants::show(version);
            }
            rows::settled();
        }
        "log" => log::news(data),
        "reload" => page::refresh(),
        "mode" => {
            set(&root(), "data-mode", data);
            tell("#live-word", if data == "poll" { "every 5 s" } else { "live" });
        }
        _ => {}
    }
}

/// True if this is the page of a session.
fn is_page_of(name: &str) -> bool {
    get(&first("main").unwrap_or_else(root), "data-session") == name
}

/// Shows a row, and unfolds it if the list is short.
fn changed(html: &str, open: bool) {
    if let Some(name) = rows::changed(html, open) {
        unfold::open(&name);
    }
}

/// Handles a stream that broke off. The browser reconnects on its own unless it got an answer that is not a stream.
fn failed(event: &Event) {
    if !is_of_open_stream(event) {
        return;
    }
    let closed = is_closed();
    let attempt = ATTEMPT.get();
    spawn_local(async move {
        if !closed {
            // A service that restarts is back before anybody has to be told.
            wait(1_500).await;
            let alive = now() - ALIVE.get() < 1_500.0;
            let polls = get(&root(), "data-mode") == "poll";
            if alive || polls || ATTEMPT.get() != attempt {
                return;
            }
        }
        match page::probe().await {
            Ok(()) => stale::answered(),
            Err(failure) => stale::failed(&failure),
        }
        if closed {
            let pause = PAUSE.get();
            PAUSE.set((pause * 2).min(PAUSES.1));
            wait(pause).await;
            if ATTEMPT.get() == attempt {
                connect(wants::shown());
            }
        }
    });
}

/// Checks, when the reader comes back to the tab, that the service still lets this browser in: the stream would go on.
async fn look() {
    match page::probe().await {
        Ok(()) => {
            stale::answered();
            if tabs::is_reader() && is_closed() {
                connect(wants::shown());
            }
        }
        Err(failure) => stale::failed(&failure),
    }
}

/// True if the browser has given up the stream.
fn is_closed() -> bool {
    SOURCE.with_borrow(|source| source.as_ref().is_none_or(|source| source.ready_state() == EventSource::CLOSED))
}

/// Finds a stream that is silent without an end: the machine slept, or the service is frozen.
async fn watch() {
    loop {
        wait(5_000).await;
        let silent = now() - ALIVE.get() > 2.5 * BEAT;
        if tabs::is_reader() && silent {
            revive();
        }
    }
}

/// Connects again, and shows why if that fails.
fn revive() {
    if !tabs::is_reader() {
        return;
    }
    ALIVE.set(now());
    connect(wants::shown());
    let attempt = ATTEMPT.get();
    spawn_local(async move {
        let failed = page::probe().await.err().filter(|_| ATTEMPT.get() == attempt);
        if let Some(failure) = failed {
            stale::failed(&failure);
        }
    });
}
