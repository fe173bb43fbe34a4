//! The dialogs: sections of the page that are opened above it.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, HtmlDialogElement};

use super::{change_query, document, every, listen, morph};

/// Those that the address of the page opened become dialogs.
pub(super) fn attach(document: &Document) {
    listen(document, "close", closed);
    follow(document);
}

/// Opens what the new page has open.
pub(super) fn follow(page: &Document) {
    for dialog in all() {
        let wanted = page.get_element_by_id(&dialog.id()).is_some_and(|new| new.has_attribute("open"));
        if wanted && !dialog.matches(":modal").unwrap_or_default() {
            show(&dialog);
        }
    }
}

/// Closes the dialog whose form was answered, or shows in it what the answer says.
pub(super) fn settle(dialog: &Element, page: &Document) {
    let Some(dialog) = dialog.dyn_ref::<HtmlDialogElement>() else { return };
    match page.get_element_by_id(&dialog.id()).filter(|new| new.has_attribute("open")) {
        Some(new) => morph::renew(dialog, &new),
        None => dialog.close(),
    }
}

/// Opens one above the page.
pub(super) fn show(dialog: &HtmlDialogElement) {
    // As a section of the page it cannot be opened again.
    dialog.set_open(false);
    let _ = dialog.show_modal();
}

/// The dialog of that id.
pub(super) fn named(id: &str) -> Option<HtmlDialogElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Whether one is open.
pub(super) fn any_open() -> bool {
    all().iter().any(HtmlDialogElement::open)
}

fn all() -> Vec<HtmlDialogElement> {
    every("dialog").into_iter().filter_map(|dialog| dialog.dyn_into().ok()).collect()
}

/// One was closed, by whatever means: the address is that of the page below.
fn closed(_: &Event) {
    if !any_open() {
        change_query(|query| ["new", "confirm"].into_iter().for_each(|name| query.delete(name)));
    }
}
