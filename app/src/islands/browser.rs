//! What listens in the browser. Everything here works on the document that the server rendered, and asks the server
//! for what is to be shown next; nothing here makes markup.

mod clicks;
mod dialogs;
mod drafts;
mod filter;
mod keys;
mod live;
mod morph;
mod name;
mod page;
mod send;
mod signin;

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, Url, UrlSearchParams, Window};

pub(super) use name::watch_name;

/// Starts listening, and says in the document that it does.
pub(super) fn attach() {
    let document = document();
    listen(&document, "submit", send::submit);
    listen(&document, "click", clicks::click);
    listen(&document, "keydown", keys::key);
    listen(&document, "input", filter::input);
    listen(&document, "change", filter::input);
    dialogs::attach(&document);
    drafts::attach(&document);
    signin::attach();
    live::attach();
    set(&root(), "data-hydrated", "");
}

fn window() -> Window {
    web_sys::window().expect("a page has a window")
}

fn document() -> Document {
    window().document().expect("a window has a document")
}

/// The `<html>` element.
fn root() -> Element {
    document().document_element().expect("a document has a root")
}

/// Listens as long as the page lives, before anything deeper does: some events do not bubble.
fn listen(target: &EventTarget, event: &str, run: fn(&Event)) {
    let listener = Closure::<dyn FnMut(Event)>::new(move |event| run(&event)).into_js_value();
    let _ = target.add_event_listener_with_callback_and_bool(event, listener.unchecked_ref(), true);
}

/// The element that an event is about.
fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

/// The nearest element around this one, itself included, that the selector takes.
fn around(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// The first element below a document or another element that the selector takes.
fn first(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// Every element of the document that the selector takes.
fn every(selector: &str) -> Vec<Element> {
    let Ok(found) = document().query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|index| found.get(index)?.dyn_into().ok()).collect()
}

fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

fn unset(element: &Element, name: &str) {
    let _ = element.remove_attribute(name);
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

fn has_focus(element: &Element) -> bool {
    document().active_element().is_some_and(|active| element.contains(Some(&active)))
}

/// Tells those who listen; shown as well if it is a failure that has no other place on the page.
fn announce(text: &str, shown: bool) {
    let Some(place) = first("#announce") else { return };
    place.set_text_content(Some(text));
    if shown { set(&place, "data-shown", "") } else { unset(&place, "data-shown") }
}

/// Changes the query of the address, and nothing else of it.
fn change_query(change: impl FnOnce(&UrlSearchParams)) {
    if let Some(url) = window().location().href().ok().and_then(|here| Url::new(&here).ok()) {
        change(&url.search_params());
        set_address(&url.href());
    }
}

/// Changes the address without making the browser go there.
fn set_address(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
    }
}
