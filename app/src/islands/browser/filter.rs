//! The filter, applied while it is typed. The server selects the sessions; the address contains the filter.

use wasm_bindgen::JsCast;
use web_sys::{Event, FormData, HtmlFormElement, UrlSearchParams};

use super::{around, change_query, first, live, target};

/// Handles a change of the filter.
pub(super) fn input(event: &Event) {
    if target(event).is_some_and(|field| around(&field, "[data-filter]").is_some()) {
        apply();
    }
}

/// Shows the sessions that match the filter.
pub(super) fn apply() {
    let form = first("[data-filter]").and_then(|form| form.dyn_into::<HtmlFormElement>().ok());
    let fields = form.and_then(|form| FormData::new_with_form(&form).ok());
    let Some(fields) = fields.and_then(|data| UrlSearchParams::new_with_str_sequence_sequence(&data).ok()) else {
        return;
    };
    change_query(|query| {
        for name in ["q", "show"] {
            match fields.get(name).filter(|value| !value.is_empty()) {
                Some(value) => query.set(name, &value),
                None => query.delete(name),
            }
        }
    });
    live::refresh();
}
