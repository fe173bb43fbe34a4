//! Rows that are unfolded in this tab, and the stopped sessions behind their line.

use leptos::task::spawn_local;
use web_sys::Element;

use super::{every, filter, first, get, inside, mark, page, parts, rows, stale, stream};

/// Number of rows up to which several are unfolded at once.
const FEW: usize = 6;

/// True if the row is unfolded.
pub(super) fn is_open(row: &Element) -> bool {
    row.class_list().contains("open")
}

/// Unfolds a row, or folds it.
pub(super) fn toggle(row: &Element) {
    let name = get(row, "data-name");
    if is_open(row) { fold(&name) } else { open(&name) }
}

/// Unfolds a row. In a long list the one that was unfolded before is folded.
pub(super) fn open(name: &str) {
    if every(".row").len() > FEW {
        for other in every(".row.open") {
            let other = get(&other, "data-name");
            if other != name {
                fold(&other);
            }
        }
    }
    show(name, "", false);
}

/// Unfolds a row and puts the focus into its message box.
pub(super) fn open_box(row: &Element) {
    let name = get(row, "data-name");
    match message_box(row) {
        Some(text) => super::focus(&text),
        None => show(&name, "", true),
    }
}

fn message_box(row: &Element) -> Option<Element> {
    inside(row, "form.say:not([data-closed]) textarea")
}

/// Folds a row.
pub(super) fn fold(name: &str) {
    show(name, "?folded", false);
}

fn show(name: &str, query: &str, write: bool) {
    let address = ["/app/row/", name, query].concat();
    let name = name.to_owned();
    spawn_local(async move {
        let new = match page::part(&address, None).await {
            Ok(html) => parts::parsed(&html),
            Err(failure) => return stale::failed(&failure),
        };
        let (Some(old), Some(new)) = (rows::row(&name), new) else { return };
        rows::replaced(&old, &new);
        stream::wants_changed();
        if let (true, Some(text)) = (write, message_box(&old)) {
            super::focus(&text);
        }
    });
}

/// Shows or hides the stopped sessions.
pub(super) fn toggle_stopped() {
    if let Some(list) = first("#list") {
        let folded = list.has_attribute("data-folded");
        mark(&list, "data-folded", !folded);
        super::change_query(|query| if folded { query.set("stopped", "") } else { query.delete("stopped") });
    }
    show_fold();
}

/// Shows the state of the line of stopped sessions. A filter looks through it.
pub(super) fn show_fold() {
    let Some(list) = first("#list") else { return };
    mark(&list, "data-filtered", filter::is_on());
    let folded = list.has_attribute("data-folded");
    if let Some(button) = first("#stopped-line [data-fold]") {
        super::set(&button, "aria-expanded", if folded { "false" } else { "true" });
        if let Some(word) = button.first_child() {
            word.set_text_content(Some(if folded { "Show" } else { "Hide" }));
        }
    }
    let few = every(".row").len() <= FEW;
    if few {
        mark(&list, "data-folded", false);
    }
}
