//! The bar of marks: names the session below the pointer, and leads to its row.
//!
//! It is only for the pointer. The list itself is for everyone.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, MouseEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::{around, document, every, first, get, groups, listen, mark, row, rows, target, tell};

/// Width of a cell, as on the server.
const CELL: i32 = 8;

pub(super) fn attach() {
    listen(&document(), "pointermove", moved);
}

fn moved(event: &Event) {
    let Some(label) = first("#bar-name") else { return };
    let row = event.dyn_ref::<MouseEvent>().and_then(|mouse| at(&target(event)?, mouse));
    mark(&label, "hidden", row.is_none());
    let (Some(row), Some(mouse)) = (row, event.dyn_ref::<MouseEvent>()) else { return };
    let text = [&*get(&row, "data-name"), " · ", &get(&row, "data-state")].concat();
    tell("#bar-name", &text);
    if let (Some(label), Some(bar)) = (label.dyn_ref::<HtmlElement>(), first("#bar")) {
        let most = (bar.client_width() - label.offset_width()).max(0);
        let left = (mouse.client_x() - pixels(bar.get_bounding_client_rect().left())).min(most);
        let _ = label.style().set_property("left", &[&left.to_string(), "px"].concat());
    }
}

/// Goes to the row of the cell below the pointer; false if the pointer is not on the bar.
pub(super) fn clicked(clicked: &Element, mouse: &MouseEvent) -> bool {
    let Some(row) = at(clicked, mouse) else { return false };
    if !super::is_laid_out(&row) && get(&row, "data-group") == "stopped" {
        groups::toggle_stopped();
    }
    let middle = ScrollIntoViewOptions::new();
    middle.set_block(ScrollLogicalPosition::Center);
    row.scroll_into_view_with_scroll_into_view_options(&middle);
    row::focus_name(&row);
    rows::flash(&row);
    true
}

/// Finds the row of the cell at a place. The bar has one run of cells for each state, in the order of the rows.
fn at(element: &Element, mouse: &MouseEvent) -> Option<Element> {
    let drawing = around(element, "#bar svg")?;
    let shown = drawing.get_bounding_client_rect();
    // Whole numbers: reading others would cost more than the rest of this page.
    let width: u32 = get(&drawing, "width").parse().ok()?;
    let x = pixels((f64::from(mouse.client_x()) - shown.left()) / shown.width() * f64::from(width));
    for run in super::every_in(&drawing, "line") {
        let edge = |name| get(&run, name).parse().unwrap_or(0);
        if (edge("x1")..edge("x2")).contains(&x) {
            let state = get(&run, "data-chip");
            let mut rows = every(".row").into_iter().filter(|row| get(row, "data-state") == state);
            return rows.nth(usize::try_from((x - edge("x1")) / CELL).ok()?);
        }
    }
    None
}

#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn pixels(value: f64) -> i32 {
    value as i32
}
