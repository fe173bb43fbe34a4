//! Event handlers in the browser. They work on the document that the server rendered, and request the next content from
//! the server. They create no markup.

mod bar;
mod chosen;
mod clicks;
mod dialogs;
mod drafts;
mod failure;
mod filter;
mod groups;
mod keys;
mod log;
mod menu;
mod morph;
mod name;
mod notify;
mod page;
mod pane;
mod parts;
mod recall;
mod row;
mod rows;
mod send;
mod side;
mod signin;
mod stale;
mod stream;
mod tabs;
mod times;
mod undo;
mod unfold;
mod view;
mod wants;

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, Url, UrlSearchParams, Window, js_sys::Promise};

/// Attaches all handlers, and marks the document as live.
pub(super) fn attach() {
    let document = document();
    listen(&document, "submit", send::submit);
    listen(&document, "click", clicks::click);
    listen(&document, "keydown", keys::key);
    listen(&document, "input", filter::input);
    dialogs::attach(&document);
    drafts::attach(&document);
    name::attach(&document);
    signin::attach();
    rows::attach(&document);
    bar::attach();
    notify::attach();
    times::attach();
    menu::attach();
    filter::attach();
    pane::attach();
    stream::attach();
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

/// Returns the first match of the selector in the document.
fn first(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// Returns the first match of the selector below an element.
fn inside(element: &Element, selector: &str) -> Option<Element> {
    element.query_selector(selector).ok().flatten()
}

/// Returns every element of the document that matches the selector.
fn every(selector: &str) -> Vec<Element> {
    all_of(document().query_selector_all(selector))
}

/// Returns every element below an element that matches the selector.
fn every_in(element: &Element, selector: &str) -> Vec<Element> {
    all_of(element.query_selector_all(selector))
}

fn all_of(found: Result<web_sys::NodeList, JsValue>) -> Vec<Element> {
    let Ok(found) = found else { return Vec::new() };
    (0..found.length()).filter_map(|index| found.get(index)?.dyn_into().ok()).collect()
}

/// Returns an attribute; empty if there is none.
fn get(element: &Element, name: &str) -> String {
    element.get_attribute(name).unwrap_or_default()
}

fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

fn unset(element: &Element, name: &str) {
    let _ = element.remove_attribute(name);
}

/// Sets or removes an attribute without a value.
fn mark(element: &Element, name: &str, is: bool) {
    if is != element.has_attribute(name) {
        if is { set(element, name, "") } else { unset(element, name) }
    }
}

/// Sets the text of an element, if it has another one.
fn tell(selector: &str, text: &str) {
    if let Some(element) = first(selector).filter(|element| element.text_content().as_deref() != Some(text)) {
        element.set_text_content(Some(text));
    }
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

fn press(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        element.click();
    }
}

fn has_focus(element: &Element) -> bool {
    document().active_element().is_some_and(|active| element.contains(Some(&active)))
}

/// True if the element takes part in the layout.
fn is_laid_out(element: &Element) -> bool {
    element.get_client_rects().length() > 0
}

/// Announces a text to screen readers. A failure without another place on the page is shown as well.
fn announce(text: &str, shown: bool) {
    let Some(place) = first("#announce") else { return };
    place.set_text_content(Some(text));
    mark(&place, "data-shown", shown);
}

/// Waits for a time in milliseconds.
async fn wait(milliseconds: i32) {
    let promise = Promise::new(&mut |wake, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&wake, milliseconds);
    });
    let _ = JsFuture::from(promise).await;
}

/// Returns milliseconds since the page was opened.
fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// Changes only the query of the address, without a step in the history.
fn change_query(change: impl FnOnce(&UrlSearchParams)) {
    if let Some(url) = window().location().href().ok().and_then(|here| Url::new(&here).ok()) {
        change(&url.search_params());
        set_address(&url.href());
    }
}

/// Changes the address without navigation and without a step in the history.
fn set_address(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&history.state().unwrap_or(JsValue::NULL), "", Some(address));
    }
}
