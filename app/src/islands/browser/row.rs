//! Finding rows, and where the focus goes in them.

use web_sys::Element;

use super::{document, every, focus, inside, is_laid_out};

/// Number of rows up to which those that run are unfolded, as on the server.
const FEW: usize = 6;

/// Returns the row of a session.
pub(super) fn of(name: &str) -> Option<Element> {
    document().get_element_by_id(&["session-", name].concat())
}

/// Returns the rows in their order, those that are laid out.
pub(super) fn shown() -> Vec<Element> {
    every(".row:not([hidden])").into_iter().filter(is_laid_out).collect()
}

/// True if the row is unfolded.
pub(super) fn is_open(row: &Element) -> bool {
    row.class_list().contains("open")
}

/// True if the list is so short that several rows are unfolded at once.
pub(super) fn are_few() -> bool {
    every(".row").len() <= FEW
}

/// Gives a row the focus.
pub(super) fn focus_name(row: &Element) {
    if let Some(name) = inside(row, ".name") {
        focus(&name);
    }
}
