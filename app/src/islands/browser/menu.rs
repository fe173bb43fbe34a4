//! The menu of a row: one panel for all, filled when it is opened.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{first, focus, get, has_focus, inside, listen, page, parts, stale};

/// Follows the panel: the focus returns to the row when it closes.
pub(super) fn attach() {
    let Some(menu) = first("#menu") else { return };
    listen(&menu, "toggle", |_| {
        let Some(menu) = first("#menu") else { return };
        if !menu.matches(":popover-open").unwrap_or_default() && (has_focus(&menu) || nothing_has_focus()) {
            let name = inside(&menu, "[data-name]").map(|items| get(&items, "data-name")).unwrap_or_default();
            if let Some(row) = super::row::of(&name) {
                super::row::focus_name(&row);
            }
        }
    });
}

fn nothing_has_focus() -> bool {
    super::document().active_element().is_none_or(|active| active.tag_name() == "BODY")
}

/// Opens the menu of a session below its button.
pub(super) fn open(button: &Element) {
    let name = get(button, "data-menu");
    let button = button.clone();
    spawn_local(async move {
        let items = match page::part(&["/app/menu/", &name].concat(), None).await {
            Ok(html) => parts::parsed(&html),
            Err(failure) => return stale::failed(&failure),
        };
        let Some(menu) = first("#menu").and_then(|menu| menu.dyn_into::<HtmlElement>().ok()) else { return };
        let Some(items) = items else { return };
        menu.replace_children_with_node_1(&items);
        let _ = menu.show_popover();
        stand(&menu, &button);
        if let Some(item) = inside(&menu, "a, button") {
            focus(&item);
        }
    });
}

/// Puts the panel below its button, or above it where there is no room.
fn stand(menu: &HtmlElement, button: &Element) {
    let (at, size) = (button.get_bounding_client_rect(), menu.get_bounding_client_rect());
    let height = super::window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0);
    let below = at.bottom() + 4.0;
    let top = if below + size.height() > height - 8.0 { (at.top() - 4.0 - size.height()).max(8.0) } else { below };
    let left = (at.right() - size.width()).max(8.0);
    let style = menu.style();
    for (property, value) in [("top", top), ("left", left)] {
        let _ = style.set_property(property, &[&pixels(value).to_string(), "px"].concat());
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn pixels(value: f64) -> i32 {
    value as i32
}

/// Closes the menu.
pub(super) fn close() {
    let menu = first("#menu:popover-open").and_then(|menu| menu.dyn_into::<HtmlElement>().ok());
    if let Some(menu) = menu {
        let _ = menu.hide_popover();
    }
}
