//! Keyboard shortcuts, as listed in the panel under `?`.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlFormElement, HtmlInputElement, KeyboardEvent};

use super::{around, clicks, dialogs, document, every, filter, first, focus, target};

/// Handles a pressed key.
pub(super) fn key(event: &Event) {
    let (Some(key), Some(target)) = (event.dyn_ref::<KeyboardEvent>(), target(event)) else { return };
    if key.is_composing() {
        return;
    }
    let name = key.key();
    let command = key.ctrl_key() || key.meta_key();
    if name == "Enter" && command && target.has_attribute("data-send") {
        let form = around(&target, "form").and_then(|form| form.dyn_into::<HtmlFormElement>().ok());
        if let Some(form) = form {
            let _ = form.request_submit();
            event.prevent_default();
        }
        return;
    }
    if name == "Escape" {
        escape(&target);
        return;
    }
    let typing = target.matches("input, textarea, select").unwrap_or_default();
    if !typing && !command && !key.alt_key() && !dialogs::any_open() && act(&name) {
        event.prevent_default();
    }
}

/// Runs the action of a key; false if it has none.
fn act(key: &str) -> bool {
    let (element, run): (_, fn(&Element)) = match key {
        "/" => (first("#filter-text"), focus),
        "n" => (first("[data-opens=new]"), click),
        "?" => (first("[popovertarget=keys]"), click),
        "j" => (beside(1), focus),
        "k" => (beside(-1), focus),
        "m" => (current().and_then(|card| card.query_selector("textarea:enabled").ok().flatten()), focus),
        _ => (None, focus),
    };
    element.as_ref().map(run).is_some()
}

fn click(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        element.click();
    }
}

/// Returns the focused session.
fn current() -> Option<Element> {
    document().active_element().and_then(|active| around(&active, "article"))
}

/// Returns the session at a distance from the focused one.
fn beside(step: isize) -> Option<Element> {
    let cards = every("article:not([hidden])");
    let here = current().and_then(|current| cards.iter().position(|card| *card == current));
    let next = match here {
        Some(here) => here.checked_add_signed(step)?,
        None => 0,
    };
    cards.into_iter().nth(next)
}

/// Closes the menu, or clears the filter. Dialogs and the panel of keys close on their own.
fn escape(target: &Element) {
    if let Some(menu) = first("details.menu[open]") {
        clicks::close_menus(None);
        if let Ok(Some(button)) = menu.query_selector("summary") {
            focus(&button);
        }
    } else if target.id() == "filter-text" {
        if let Some(field) = target.dyn_ref::<HtmlInputElement>() {
            field.set_value("");
            let _ = field.blur();
        }
        filter::apply();
    }
}
