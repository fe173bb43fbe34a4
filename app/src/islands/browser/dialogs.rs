//! The dialogs: sections of the page that are opened above it.

use wasm_bindgen::JsCast;
use web_sys::{Document, Event, HtmlAnchorElement, HtmlDialogElement};

use super::{document, every, listen, set_address, target};

/// Those that the address of the page opened become dialogs.
pub(super) fn attach(document: &Document) {
    listen(document, "close", closed);
    follow(document);
}

/// Opens and closes what the new page has open and closed.
pub(super) fn follow(page: &Document) {
    for dialog in all() {
        let wanted = page.get_element_by_id(&dialog.id()).is_some_and(|new| new.has_attribute("open"));
        let modal = dialog.matches(":modal").unwrap_or_default();
        if wanted && !modal {
            show(&dialog);
        } else if !wanted && dialog.open() {
            dialog.close();
        }
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
fn closed(event: &Event) {
    let Some(dialog) = target(event) else { return };
    let way_out = dialog.query_selector("[data-closes]").ok().flatten();
    let way_out = way_out.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    let Some(link) = way_out else { return };
    // After an act the address carries what came of it, and is right already.
    let there = super::window().location().search().unwrap_or_default();
    if !any_open() && !there.contains("notice=") {
        set_address(&link.href());
    }
}
