//! Rows that are unfolded in this tab.

use leptos::task::spawn_local;
use web_sys::Element;

use super::{every, get, inside, page, parts, row, rows, stale, wants};

/// Unfolds a row, or folds it.
pub(super) fn toggle(row: &Element) {
    let name = get(row, "data-name");
    if row::is_open(row) { fold(&name) } else { open(&name) }
}

/// Unfolds a row. In a long list the one that was unfolded before is folded.
pub(super) fn open(name: &str) {
    if !row::are_few() {
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
        // The stream may bring another state while the answer is on its way. An older answer is not shown.
        loop {
            let before = row::of(&name).map(|row| state(&row));
            let new = match page::part(&address, None).await {
                Ok(html) => parts::parsed(&html),
                Err(failure) => return stale::failed(&failure),
            };
            let (Some(old), Some(new)) = (row::of(&name), new) else { return };
            let now = state(&old);
            if before.is_some_and(|before| before != now) && state(&new) != now {
                continue;
            }
            rows::replaced(&old, &new);
            wants::changed();
            if let (true, Some(text)) = (write, message_box(&old)) {
                super::focus(&text);
            }
            return;
        }
    });
}

/// Returns the state of a row and its time.
fn state(row: &Element) -> String {
    [get(row, "data-state"), get(row, "data-rank")].concat()
}
