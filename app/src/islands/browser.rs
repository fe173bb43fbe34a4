//! Event handlers in the browser. They work on the document that the server rendered, and request the next content from
//! the server. They create no markup.

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

/// Attaches all handlers, and marks the document as live.
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

/// Returns the `<html>` element.
fn root() -> Element {
    document().document_element().expect("a document has a root")
}

/// Adds a handler for the lifetime of the page, in the capture phase: some events do not bubble.
fn listen(target: &EventTarget, event: &str, run: fn(&Event)) {
    let listener = Closure::<dyn FnMut(Event)>::new(move |event| run(&event)).into_js_value();
    let _ = target.add_event_listener_with_callback_and_bool(event, listener.unchecked_ref(), true);
}

/// Returns the target element of an event.
fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

/// Returns the nearest ancestor that matches the selector, or the element itself.
fn around(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Returns the first match of the selector below a document or an element.
fn first(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// Returns every element of the document that matches the selector.
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

/// Announces a text to screen readers. A failure without another place on the page is shown as well.
fn announce(text: &str, shown: bool) {
    let Some(place) = first("#announce") else { return };
    place.set_text_content(Some(text));
    if shown { set(&place, "data-shown", "") } else { unset(&place, "data-shown") }
}

/// Changes only the query of the address.
fn change_query(change: impl FnOnce(&UrlSearchParams)) {
    if let Some(url) = window().location().href().ok().and_then(|here| Url::new(&here).ok()) {
        change(&url.search_params());
        set_address(&url.href());
    }
}

/// Changes the address without navigation.
fn set_address(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
    }
}
