//! The filter, applied while it is typed, by the same code as on the server. The address contains it.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, js_sys::Date};

use super::{change_query, every, first, get, groups, inside, mark, set, target, tell, unset};
use crate::filter::{Facts, Filter, toggled};

/// Applies the filter of the address once, since ages have passed since the server did.
pub(super) fn attach() {
    apply_if_any();
}

/// Handles a change of the filter.
pub(super) fn input(event: &Event) {
    if target(event).is_some_and(|field| field.id() == "filter-text") {
        apply();
    }
}

/// True if a filter is set.
pub(super) fn is_on() -> bool {
    !text().trim().is_empty()
}

fn field() -> Option<HtmlInputElement> {
    first("#filter-text")?.dyn_into().ok()
}

fn text() -> String {
    field().map(|field| field.value()).unwrap_or_default()
}

/// Replaces the filter.
pub(super) fn replace(text: &str) {
    if let Some(field) = field() {
        field.set_value(text);
    }
    apply();
}

/// Adds a state to the filter, or removes it.
pub(super) fn toggle(state: &str) {
    replace(&toggled(&text(), state));
}

/// Applies a filter that is set. Without one, all rows are shown already.
pub(super) fn apply_if_any() {
    if is_on() {
        apply();
    } else {
        count();
    }
}

/// Counts the rows of the groups again.
pub(super) fn count() {
    groups::count(is_on());
}

/// Shows the sessions that match the filter.
pub(super) fn apply() {
    let text = text();
    change_query(|query| {
        // The filter of earlier versions.
        query.delete("show");
        match text.trim() {
            "" => query.delete("q"),
            filter => query.set("q", filter),
        }
    });
    let filter = Filter::parse(&text);
    let now = seconds();
    let all = every(".row");
    let mut matching = 0;
    for row in &all {
        let shown = matches(&filter, row, now);
        matching += usize::from(shown);
        mark(row, "hidden", !shown);
    }
    let found = if filter.is_empty() {
        String::new()
    } else {
        [&matching.to_string(), " of ", &all.len().to_string()].concat()
    };
    tell("#matches", &found);
    tell("#nothing-filter", text.trim());
    if let Some(nothing) = first("#nothing") {
        mark(&nothing, "hidden", matching > 0);
    }
    show_chips();
    count();
}

/// Shows or hides one row.
pub(super) fn show(row: &Element) {
    let filter = Filter::parse(&text());
    mark(row, "hidden", !matches(&filter, row, seconds()));
}

/// Marks the chips and the cells of the bar whose states the filter selects.
pub(super) fn show_chips() {
    let filter = Filter::parse(&text());
    let selects_any = every(".chip").iter().any(|chip| filter.selects(&get(chip, "data-chip")));
    for chip in every("[data-chip]") {
        let selected = filter.selects(&get(&chip, "data-chip"));
        if chip.tag_name() == "line" {
            mark(&chip, "data-dim", selects_any && !selected);
        } else if selected {
            set(&chip, "aria-current", "true");
        } else {
            unset(&chip, "aria-current");
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds since 1970 are positive and small"
)]
fn seconds() -> u64 {
    (Date::now() / 1000.0) as u64
}

fn matches(filter: &Filter, row: &Element, now: u64) -> bool {
    if filter.is_empty() {
        return true;
    }
    let text = |cell: &str| inside(row, cell).and_then(|cell| cell.text_content()).unwrap_or_default();
    let (name, state, source, about) =
        (get(row, "data-name"), get(row, "data-state"), get(row, "data-source"), get(row, "data-about"));
    let path = inside(row, ".dir").map(|cell| get(&cell, "title")).unwrap_or_default();
    let facts = Facts {
        name: &name,
        state: &state,
        harness: &text(".harness"),
        directory: &text(".dir"),
        path: &path,
        source: &source,
        since: get(row, "data-since").parse().ok(),
        texts: [&about, &text(".last")],
    };
    filter.matches(&facts, now)
}
