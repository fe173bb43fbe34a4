//! Visibility of this tab, and of the other tabs with a page of this service.

use std::cell::Cell;

use web_sys::VisibilityState;

use super::document;

thread_local! {
    static OTHERS: Cell<bool> = const { Cell::new(false) };
}

/// True while this tab is in view.
pub(super) fn is_visible() -> bool {
    document().visibility_state() == VisibilityState::Visible
}

/// True while this tab or another one is in view.
pub(super) fn any_visible() -> bool {
    is_visible() || OTHERS.get()
}

/// Records whether another tab is in view.
pub(super) fn others_are_visible(are: bool) {
    OTHERS.set(are);
}
