//! Drafts: typed and unsent text, kept in the tab over a reload and another sign-in. It never leaves the tab, and is
//! deleted when the tab is closed.

use wasm_bindgen::JsCast;
use web_sys::{
    Document, Element, Event, FormData, HtmlFormElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement,
    Storage, UrlSearchParams,
};

use super::{around, every, listen, morph, target, window};

/// Selector of the forms that a person fills in.
const FORMS: &str = "form[data-clears][id]";

/// Stores typed text from now on, and restores earlier text.
pub(super) fn attach(document: &Document) {
    listen(document, "input", changed);
    listen(document, "change", changed);
    listen(document, "reset", |event| {
        let _ = form(event).and_then(|form| storage()?.remove_item(&key(&form)).ok());
    });
    restore();
}

/// Restores typed text into the forms of the page, unless they already contain other text.
pub(super) fn restore() {
    let Some(storage) = storage() else { return };
    for form in every(FORMS) {
        let kept = storage.get_item(&key(&form)).ok().flatten();
        let kept = kept.and_then(|kept| UrlSearchParams::new_with_str(&kept).ok());
        if let Some(kept) = kept.filter(|_| !controls(&form).iter().any(morph::is_dirty)) {
            for control in &controls(&form) {
                fill(control, &kept);
            }
        }
    }
}

/// Keeps a sent message, to be recalled into an empty box.
pub(super) fn sent(form: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&["sent:", form].concat(), text);
    }
}

/// Returns the last message that a form sent from this tab.
pub(super) fn last_of(form: &str) -> Option<String> {
    storage()?.get_item(&["sent:", form].concat()).ok().flatten()
}

fn changed(event: &Event) {
    if let Some(form) = form(event) {
        keep(&form);
    }
}

/// Stores all of a form as it is now; nothing if the form is empty.
fn keep(form: &Element) -> Option<()> {
    let (storage, key) = (storage()?, key(form));
    if !controls(form).iter().any(morph::is_dirty) {
        return storage.remove_item(&key).ok();
    }
    let data = FormData::new_with_form(form.dyn_ref::<HtmlFormElement>()?).ok()?;
    let fields = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
    storage.set_item(&key, &String::from(fields.to_string())).ok()
}

fn fill(control: &Element, kept: &UrlSearchParams) {
    let Some(name) = control.get_attribute("name") else { return };
    let value = kept.get(&name);
    if let (Some(area), Some(value)) = (control.dyn_ref::<HtmlTextAreaElement>(), &value) {
        area.set_value(value);
    } else if let (Some(choice), Some(value)) = (control.dyn_ref::<HtmlSelectElement>(), &value) {
        choice.set_value(value);
    } else if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
        match &*input.type_() {
            "checkbox" | "radio" => input.set_checked(value.as_deref() == Some(&*input.value())),
            "hidden" if !control.has_attribute("data-once") => {}
            _ => input.set_value(&value.unwrap_or_default()),
        }
    }
}

fn controls(form: &Element) -> Vec<Element> {
    let Ok(found) = form.query_selector_all("input, textarea, select") else { return Vec::new() };
    (0..found.length()).filter_map(|index| found.get(index)?.dyn_into().ok()).collect()
}

fn form(event: &Event) -> Option<Element> {
    around(&target(event)?, FORMS)
}

fn key(form: &Element) -> String {
    ["draft:", &form.id()].concat()
}

/// Returns the storage of the tab; none if the browser blocks it.
fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}
