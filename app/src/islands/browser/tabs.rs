//! One stream for all tabs of a browser: the tab that holds a lock reads it and passes its events on.
//!
//! A browser opens few connections to one host, so six tabs with a stream each would leave none for a form. The lock is
//! released when its tab is closed, and the next tab takes over. Without locks, as on an unencrypted address of another
//! machine, each tab has its own stream.

use std::cell::{Cell, RefCell};

use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use web_sys::{BroadcastChannel, Event, MessageEvent, js_sys::Promise};

use super::{listen, window};

#[wasm_bindgen]
extern "C" {
    /// Locks between the tabs of an origin.
    type Locks;

    #[wasm_bindgen(method)]
    fn request(this: &Locks, name: &str, held: &Closure<dyn FnMut(JsValue) -> Promise>) -> Promise;
}

/// Name of the lock and of the channel.
const NAME: &str = "the-loop-stream";

/// Separates the parts of a message. No part but the last can contain it.
const BREAK: char = '\u{1f}';

thread_local! {
    static CHANNEL: RefCell<Option<BroadcastChannel>> = const { RefCell::new(None) };
    static IS_READER: Cell<bool> = const { Cell::new(false) };
    static TOLD: Cell<Option<fn(&Message<'_>)>> = const { Cell::new(None) };
    static LEAD: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// A message between tabs.
pub(super) enum Message<'a> {
    /// The new reader asks the other tabs what they want.
    Who,
    /// Wants of a tab: its ID, the version that it shows, the query of the stream, and whether it is in view.
    Wants { tab: &'a str, version: u64, query: &'a str, visible: bool },
    /// A tab is being closed.
    Bye { tab: &'a str },
    /// An event of the stream.
    Event { name: &'a str, id: &'a str, data: &'a str },
}

/// Takes part in the common stream. `told` is called with the messages of other tabs, and `lead` when this tab has to read
/// the stream.
pub(super) fn attach(told: fn(&Message<'_>), lead: fn()) {
    TOLD.set(Some(told));
    LEAD.set(Some(lead));
    let locks = locks();
    let channel = locks.as_ref().and_then(|_| BroadcastChannel::new(NAME).ok());
    let (Some(locks), Some(channel)) = (locks, channel) else {
        IS_READER.set(true);
        return self::lead();
    };
    listen(&channel, "message", heard);
    CHANNEL.set(Some(channel));
    let held = Closure::<dyn FnMut(JsValue) -> Promise>::new(|_| {
        IS_READER.set(true);
        post(&Message::Who);
        self::lead();
        // The lock is held until the tab is closed.
        Promise::new(&mut |_, _| {})
    });
    let _ = locks.request(NAME, &held);
    held.forget();
}

/// True if this tab reads the stream.
pub(super) fn is_reader() -> bool {
    IS_READER.get()
}

fn locks() -> Option<Locks> {
    let locks = web_sys::js_sys::Reflect::get(&window().navigator(), &"locks".into()).ok()?;
    (!locks.is_undefined()).then(|| locks.unchecked_into())
}

/// Sends a message to the other tabs.
pub(super) fn post(message: &Message<'_>) {
    CHANNEL.with_borrow(|channel| {
        if let Some(channel) = channel {
            let _ = channel.post_message(&JsValue::from_str(&written(message)));
        }
    });
}

fn written(message: &Message<'_>) -> String {
    let join = |parts: &[&str]| parts.join(BREAK.encode_utf8(&mut [0; 4]));
    match *message {
        Message::Who => "who".to_owned(),
        Message::Bye { tab } => join(&["bye", tab]),
        Message::Wants { tab, version, query, visible } => {
            let version = version.to_string();
            join(&["wants", tab, &version, if visible { "1" } else { "" }, query])
        }
        Message::Event { name, id, data } => join(&["event", name, id, data]),
    }
}

fn told(message: &Message<'_>) {
    if let Some(told) = TOLD.get() {
        told(message);
    }
}

fn lead() {
    if let Some(lead) = LEAD.get() {
        lead();
    }
}

fn heard(event: &Event) {
    let Some(text) = event.dyn_ref::<MessageEvent>().and_then(|event| event.data().as_string()) else { return };
    let mut parts = text.splitn(5, BREAK);
    let kind = parts.next().unwrap_or_default();
    let mut next = || parts.next().unwrap_or_default();
    match kind {
        "who" => told(&Message::Who),
        "bye" => told(&Message::Bye { tab: next() }),
        "wants" => {
            let (tab, version, visible, query) = (next(), next(), next(), next());
            let version = version.parse().unwrap_or(0);
            told(&Message::Wants { tab, version, query, visible: !visible.is_empty() });
        }
        "event" => {
            let (name, id) = (next(), next());
            // The data may contain anything.
            let at = kind.len() + name.len() + id.len() + 3;
            told(&Message::Event { name, id, data: text.get(at..).unwrap_or_default() });
        }
        _ => {}
    }
}
