//! New entries of the timeline that this tab shows.

use wasm_bindgen::JsCast;
use web_sys::{
    Element,
    js_sys::{Array, JSON},
};

use super::{document, every, first, inside, morph, page, parts, set, times, wants, window};

/// Shows new entries: JSON of the timeline's name, its position, whether entries are missing, and the items.
pub(super) fn news(json: &str) {
    let Some(news) = JSON::parse(json).ok().and_then(|news| news.dyn_into::<Array>().ok()) else { return };
    let Some(timeline) = first("[data-position]") else { return };
    if news.get(0).as_string().as_deref() != Some(&wants::log_key()) {
        return;
    }
    let is_filtered = window().location().search().is_ok_and(|query| !query.is_empty());
    // The server selects the entries of a filter.
    if is_filtered || news.get(2).as_bool() == Some(true) {
        return page::refresh();
    }
    if let Some(position) = news.get(1).as_f64() {
        set(&timeline, "data-position", &text_of(position));
    }
    for item in news.get(3).unchecked_into::<Array>() {
        let item: Array = item.unchecked_into();
        let part = |index| item.get(index).as_string().unwrap_or_default();
        show(&timeline, &part(0), &part(1), &part(2), &part(3));
    }
}

/// Formats a position, which is a whole number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position in a file is below 2^53")]
fn text_of(position: f64) -> String {
    (position as u64).to_string()
}

/// Adds an entry at the top of its day, or replaces the one with its ID.
fn show(timeline: &Element, id: &str, html: &str, day: &str, head: &str) {
    let Some(new) = parts::parsed(html) else { return };
    if let Some(old) = document().get_element_by_id(id) {
        morph::renew(&old, &new);
        times::localise(&old);
        return;
    }
    let selector = ["ol[data-day=\"", day, "\"]"].concat();
    let list = inside(timeline, &selector).or_else(|| begin(day, head));
    if let (Some(list), Ok(entry)) = (list, document().import_node_with_deep(&new, true)) {
        let entry: Element = entry.unchecked_into();
        let _ = list.insert_before(&entry, list.first_child().as_ref());
        times::localise(&entry);
    }
}

/// Begins the list of a new day, above those of earlier days.
fn begin(day: &str, head: &str) -> Option<Element> {
    let head = parts::parsed(head)?;
    let list = document().create_element("ol").ok()?;
    set(&list, "data-day", day);
    let earlier = every("[data-position] ol[data-day]").into_iter().next()?;
    let before = earlier.previous_element_sibling().unwrap_or_else(|| earlier.clone());
    let above = before.parent_node()?;
    above.insert_before(&document().import_node_with_deep(&head, true).ok()?, Some(&before)).ok()?;
    above.insert_before(&list, Some(&before)).ok()?;
    Some(list)
}
