//! Selection of several sessions, for one verb on all of them.

use web_sys::Element;

use super::{dialogs, every, first, get, mark, row, set, tell};

/// Attribute of a selected row. The morph leaves it alone.
const CHOSEN: &str = "data-chosen";

/// Selects a row, or removes it from the selection.
pub(super) fn toggle(row: &Element) {
    mark(row, CHOSEN, !row.has_attribute(CHOSEN));
    show();
}

/// Selects all rows from the last selected one to this one.
pub(super) fn up_to(row: &Element) {
    let shown = row::shown();
    let position = |row: &Element| shown.iter().position(|other| other == row);
    let last = shown.iter().rposition(|row| row.has_attribute(CHOSEN));
    let (Some(here), Some(last)) = (position(row), last) else { return toggle(row) };
    for row in &shown[here.min(last)..=here.max(last)] {
        mark(row, CHOSEN, true);
    }
    show();
}

/// Ends the selection; false if there was none.
pub(super) fn clear() -> bool {
    let chosen = every(".row[data-chosen]");
    for row in &chosen {
        mark(row, CHOSEN, false);
    }
    show();
    !chosen.is_empty()
}

/// Asks to confirm a verb on the selected sessions.
pub(super) fn act(verb: &str) {
    if verb.is_empty() {
        clear();
        return;
    }
    let mut address = ["/?confirm=", verb].concat();
    for row in every(".row[data-chosen]") {
        address.push_str("&name=");
        address.push_str(&get(&row, "data-name"));
    }
    dialogs::confirm(&address);
}

/// Shows the number of selected sessions in the place of the foot.
pub(super) fn show() {
    let count = every(".row[data-chosen]").len();
    for row in every(".row") {
        if row.has_attribute(CHOSEN) {
            set(&row, "aria-selected", "true");
        } else {
            super::unset(&row, "aria-selected");
        }
    }
    if let (Some(foot), Some(selection)) = (first("#foot"), first("#selection")) {
        mark(&foot, "hidden", count > 0);
        mark(&selection, "hidden", count == 0);
    }
    tell("#selected", &[&count.to_string(), " selected"].concat());
}
