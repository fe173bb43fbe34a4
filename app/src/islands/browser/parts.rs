//! Parts of the page that the server rendered alone.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTemplateElement};

use super::{document, filter, morph, notify, times};

/// Parses one element from HTML of the server.
pub(super) fn parsed(html: &str) -> Option<Element> {
    let template = document().create_element("template").ok()?.dyn_into::<HtmlTemplateElement>().ok()?;
    template.set_inner_html(html);
    template.content().first_element_child()
}

/// Makes the element with the same ID equal to a new one.
pub(super) fn changed(html: &str) {
    let Some(new) = parsed(html) else { return };
    let Some(old) = document().get_element_by_id(&new.id()) else { return };
    morph::morph(&old, &new);
    times::localise(&old);
    match &*old.id() {
        "summary" => notify::counted(&old),
        "chips" | "bar" => filter::show_chips(),
        "foot" | "head-needs" | "head-running" | "head-stopped" => filter::count(),
        _ => {}
    }
}
