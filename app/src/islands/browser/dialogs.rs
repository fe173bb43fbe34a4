//! Dialogs: sections of the page that are opened above it.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, HtmlDialogElement};

use super::{change_query, document, every, listen, morph};

/// Turns the sections opened by the page's address into dialogs.
pub(super) fn attach(document: &Document) {
    listen(document, "close", closed);
    follow(document);
}

/// Opens the dialogs that are open in the new page.
pub(super) fn follow(page: &Document) {
    for dialog in all() {
        let wanted = page.get_element_by_id(&dialog.id()).is_some_and(|new| new.has_attribute("open"));
        if wanted && !dialog.matches(":modal").unwrap_or_default() {
            show(&dialog);
        }
    }
}

/// Closes the dialog whose form was answered, or shows the answer in it.
pub(super) fn settle(dialog: &Element, page: &Document) {
    let Some(dialog) = dialog.dyn_ref::<HtmlDialogElement>() else { return };
    match page.get_element_by_id(&dialog.id()).filter(|new| new.has_attribute("open")) {
        Some(new) => morph::renew(dialog, &new),
        None => dialog.close(),
    }
}

/// Opens a dialog above the page.
pub(super) fn show(dialog: &HtmlDialogElement) {
    // A dialog that is already open as a section of the page cannot be opened again.
    dialog.set_open(false);
    let _ = dialog.show_modal();
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
    if !any_open() {
        change_query(|query| ["new", "confirm"].into_iter().for_each(|name| query.delete(name)));
    }
}
