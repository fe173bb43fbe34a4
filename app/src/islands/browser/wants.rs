//! The version that this tab shows, and what it wants from the stream.

use std::cell::Cell;

use web_sys::UrlSearchParams;

use super::{every, first, get, view};

thread_local! {
    static SHOWN: Cell<u64> = const { Cell::new(0) };
    /// Called when this tab wants something else.
    static TELL: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Sets the function that passes changed wants on.
pub(super) fn follow(tell: fn()) {
    TELL.set(Some(tell));
}

/// Returns the version that this tab shows.
pub(super) fn shown() -> u64 {
    SHOWN.get()
}

/// Records the version that this tab shows.
pub(super) fn show(version: u64) {
    SHOWN.set(version);
}

/// A row was unfolded or folded, or another page is shown.
pub(super) fn changed() {
    if let Some(tell) = TELL.get() {
        tell();
    }
}

/// Returns the name of the timeline that this tab shows.
pub(super) fn log_key() -> String {
    match first("main[data-session]") {
        Some(page) => ["session:", &get(&page, "data-session")].concat(),
        None => "events".to_owned(),
    }
}

/// Returns what this tab wants, as the query of the stream.
pub(super) fn query() -> String {
    let Ok(wants) = UrlSearchParams::new() else { return String::new() };
    for row in every(".row.open") {
        wants.append("open", &get(&row, "data-name"));
    }
    if let Some(page) = first("main[data-session]") {
        wants.append("page", &get(&page, "data-session"));
    }
    if let Some(pane) = first("[data-pane]").filter(|_| view::is_visible()) {
        wants.append("pane", &get(&pane, "data-pane"));
    }
    if let Some(log) = first("[data-position]") {
        wants.append("log", &[&log_key(), "@", &get(&log, "data-position")].concat());
    }
    String::from(wants.to_string())
}
