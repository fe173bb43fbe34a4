//! Rows of the list: what the stream says about them, and their places.
//!
//! Invariant: a row never moves while the pointer is on it or the focus is in it, so no press reaches a button that took
//! the place of another.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{
    Document, Element,
    js_sys::{Array, JSON, Object},
};

use super::{
    document, drafts, every, every_in, filter, first, get, has_focus, inside, listen, morph, notify, parts, row, set,
    times, unset, wait,
};

/// Attribute of a row that moves when the pointer and the focus have left it.
const MOVES: &str = "data-moves";
/// Attribute of a row that changed just now.
const FLASH: &str = "data-flash";

thread_local! {
    /// Session whose row gets the focus when it comes into the page.
    static WANTED: RefCell<String> = const { RefCell::new(String::new()) };
    /// True until the page shows what it showed when the stream began.
    static BEGINS: Cell<bool> = const { Cell::new(true) };
}

pub(super) fn attach(document: &Document) {
    for event in ["focusout", "pointerout"] {
        listen(document, event, |_| move_waiting());
    }
}

/// Shows a row as the server rendered it, folded or unfolded. Of the two, the one that this tab shows is used. Returns the
/// name of a session whose row is to be unfolded now, since the list is short.
pub(super) fn changed(html: &str, open: bool) -> Option<String> {
    let new = parts::parsed(html)?;
    let row = match document().get_element_by_id(&new.id()) {
        None if open => None,
        None => added(&new),
        Some(old) if row::is_open(&old) == open => {
            let group = get(&old, "data-group");
            replaced(&old, &new);
            (get(&old, "data-group") != group).then_some(old)
        }
        Some(_) => None,
    }?;
    let unfolds = get(&row, "data-group") == "running" && !row::is_open(&row) && row::are_few();
    unfolds.then(|| get(&row, "data-name"))
}

fn added(new: &Element) -> Option<Element> {
    let row = document().import_node_with_deep(new, true).ok()?;
    let row: Element = row.unchecked_into();
    place(&row);
    finish(&row, "");
    focus_wanted(&row);
    Some(row)
}

/// Gives the row of a session the focus, now or when it comes into the page.
pub(super) fn want_focus(name: &str) {
    WANTED.set(name.to_owned());
    if let Some(row) = row::of(name) {
        focus_wanted(&row);
    }
}

fn focus_wanted(row: &Element) {
    if WANTED.with_borrow(|wanted| *wanted == get(row, "data-name")) {
        WANTED.set(String::new());
        row::focus_name(row);
    }
}

/// Makes a row equal to a new one, and moves it unless the pointer or the focus is on it.
pub(super) fn replaced(old: &Element, new: &Element) {
    let before = get(old, "data-state");
    let focused = has_focus(old);
    morph::renew(old, new);
    // Its control may be gone. The focus stays at the session, and never goes to a button.
    if focused && !has_focus(old) {
        row::focus_name(old);
    }
    if is_in_place(old) {
        unset(old, MOVES);
    } else if is_held(old) {
        set(old, MOVES, "");
    } else {
        place(old);
    }
    drafts::restore();
    finish(old, &before);
}

fn finish(row: &Element, before: &str) {
    times::localise(row);
    filter::show(row);
    let state = get(row, "data-state");
    if state != before && !BEGINS.get() {
        notify::turned(row, before);
        flash(row);
    }
}

/// Shows for a moment that a row is meant.
pub(super) fn flash(row: &Element) {
    set(row, FLASH, "");
    let row = row.clone();
    spawn_local(async move {
        wait(1_200).await;
        unset(&row, FLASH);
    });
}

/// Removes the row of a session that no longer exists.
pub(super) fn gone(name: &str) {
    let Some(row) = row::of(name) else { return };
    let focused = has_focus(&row);
    let beside = row.next_element_sibling().or_else(|| row.previous_element_sibling());
    row.remove();
    if let (true, Some(beside)) = (focused, beside) {
        row::focus_name(&beside);
    }
}

/// Removes the rows whose names are not in a list, which is JSON.
pub(super) fn only(names: &str) {
    let Some(names) = JSON::parse(names).ok().and_then(|names| names.dyn_into::<Array>().ok()) else { return };
    for row in every(".row") {
        let name = get(&row, "data-name");
        if !names.includes(&name.as_str().into(), 0) {
            gone(&name);
        }
    }
}

/// Shows last lines and measurements: JSON of names, each with its line, CPU and memory.
pub(super) fn texts(json: &str) {
    let Some(texts) = JSON::parse(json).ok().and_then(|texts| texts.dyn_into::<Object>().ok()) else { return };
    for entry in Object::entries(&texts) {
        let entry: Array = entry.unchecked_into();
        let (Some(name), texts) = (entry.get(0).as_string(), entry.get(1)) else { continue };
        let (Some(row), texts) = (row::of(&name), texts.unchecked_into::<Array>()) else { continue };
        for (index, cell) in ["p.last:not(.desc, .why)", ".cpu", ".mem"].into_iter().enumerate() {
            let text = texts.get(u32::try_from(index).unwrap_or(0)).as_string().unwrap_or_default();
            let cell = inside(&row, cell).filter(|cell| cell.text_content().as_deref() != Some(&text));
            if let Some(cell) = cell {
                cell.set_text_content(Some(&text));
            }
        }
    }
}

/// The page shows a whole version of the list.
pub(super) fn settled() {
    BEGINS.set(false);
    filter::apply_if_any();
}

/// Moves the rows that waited for the pointer or the focus to leave.
fn move_waiting() {
    if first(".row[data-moves]").is_none() {
        return;
    }
    spawn_local(async {
        // The focus is between two elements now.
        wait(50).await;
        for row in every(".row[data-moves]") {
            if !is_held(&row) {
                unset(&row, MOVES);
                place(&row);
            }
        }
    });
}

/// True if the pointer or the focus is on the row.
fn is_held(row: &Element) -> bool {
    has_focus(row) || row.matches(":hover").unwrap_or_default()
}

fn is_in_place(row: &Element) -> bool {
    let group = get(row, "data-group");
    let there = row.parent_element().is_some_and(|list| get(&list, "data-group") == group);
    let key = key(row);
    let before = row.previous_element_sibling().is_none_or(|other| self::key(&other) <= key);
    let after = row.next_element_sibling().is_none_or(|other| key <= self::key(&other));
    there && before && after
}

/// Moves a row to its place.
fn place(row: &Element) {
    let Some(list) = first(&["#rows-", &get(row, "data-group")].concat()) else { return };
    let key = key(row);
    let next = every_in(&list, ".row").into_iter().find(|other| other != row && self::key(other) > key);
    let _ = list.insert_before(row, next.as_ref().map(AsRef::as_ref));
}

/// Returns the text by which rows are sorted in the chosen order.
fn key(row: &Element) -> String {
    let order = first("#list").map(|list| get(&list, "data-order")).unwrap_or_default();
    let first = match &*order {
        "directory" => inside(row, ".dir").map(|cell| get(&cell, "title")).unwrap_or_default(),
        "harness" => inside(row, ".harness").and_then(|cell| cell.text_content()).unwrap_or_default(),
        "name" => get(row, "data-name"),
        _ => String::new(),
    };
    [&first, "\u{1}", &get(row, "data-rank")].concat()
}

/// Sorts all rows again, in another order.
pub(super) fn sort(order: &str) {
    if let Some(list) = first("#list") {
        set(&list, "data-order", order);
    }
    for list in every(".rows") {
        // The library's sort is larger than all of this file.
        let mut rows: Vec<(String, Element)> = Vec::new();
        for row in every_in(&list, ".row") {
            let key = key(&row);
            let at = rows.partition_point(|(other, _)| *other <= key);
            rows.insert(at, (key, row));
        }
        for (_, row) in rows {
            let _ = list.append_child(&row);
        }
    }
}
