//! Dialogs: sections of the page that are opened above it. Opening one is a step in the browser's history, so that
//! "back" closes it.

use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Event, HtmlDialogElement, Url};

use super::{change_query, document, every, listen, page, parts, stale, window};

/// State of the history while a dialog is open.
const STEP: &str = "dialog";

/// Turns the sections opened by the page's address into dialogs.
pub(super) fn attach(document: &Document) {
    listen(document, "close", closed);
    listen(&window(), "popstate", back);
    for dialog in all().into_iter().filter(HtmlDialogElement::open) {
        over(&dialog);
    }
}

/// Handles "back": the dialog closes.
fn back(_: &Event) {
    for dialog in all().into_iter().filter(HtmlDialogElement::open) {
        dialog.close();
    }
}

/// Opens a dialog above the page, at its own address.
pub(super) fn show(dialog: &HtmlDialogElement, address: &str) {
    if dialog.matches(":modal").unwrap_or_default() {
        return;
    }
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::from_str(STEP), "", Some(address));
    }
    over(dialog);
}

fn over(dialog: &HtmlDialogElement) {
    // A dialog that is already open as a section of the page cannot be opened again.
    dialog.set_open(false);
    let _ = dialog.show_modal();
}

/// Closes the dialog around an element.
pub(super) fn close_around(element: &Element) {
    let dialog = super::around(element, "dialog").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    if let Some(dialog) = dialog.filter(HtmlDialogElement::open) {
        dialog.close();
    }
}

/// Returns the dialog with that ID.
pub(super) fn named(id: &str) -> Option<HtmlDialogElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// True if a dialog is open.
pub(super) fn any_open() -> bool {
    all().iter().any(HtmlDialogElement::open)
}

fn all() -> Vec<HtmlDialogElement> {
    every("dialog").into_iter().filter_map(|dialog| dialog.dyn_into().ok()).collect()
}

/// Handles a closed dialog: the address becomes that of the page below.
fn closed(_: &Event) {
    if any_open() {
        return;
    }
    let Ok(history) = window().history() else { return };
    let is_step = history.state().ok().and_then(|state| state.as_string()).as_deref() == Some(STEP);
    if is_step {
        let _ = history.back();
    } else {
        change_query(|query| ["new", "confirm", "name"].into_iter().for_each(|name| query.delete(name)));
    }
}

/// Asks the server for a confirmation and opens it.
pub(super) fn confirm(address: &str) {
    let here = window().location().href().unwrap_or_default();
    let Ok(url) = Url::new_with_base(address, &here) else { return };
    let (part, address) = (["/app/confirm", &url.search()].concat(), url.href());
    spawn_local(async move {
        let form = match page::part(&part, None).await {
            Ok(html) => parts::parsed(&html),
            Err(failure) => return stale::failed(&failure),
        };
        if let (Some(dialog), Some(form)) = (named("confirm"), form) {
            dialog.replace_children_with_node_1(&form);
            show(&dialog, &address);
        }
    });
}
