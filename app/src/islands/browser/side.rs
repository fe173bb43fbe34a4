//! The facts of a session: a column beside its pane, and on a narrower screen a drawer above it.

use web_sys::Element;

use super::{first, focus, has_focus, is_laid_out, mark, set};

/// Attribute of the page while the drawer is open. The morph leaves it alone.
const OPEN: &str = "data-drawer";

/// Goes to the facts, or opens and closes their drawer; false on another page.
pub(super) fn go() -> bool {
    let (Some(main), Some(side)) = (first("main[data-session]"), first("#side")) else { return false };
    if let Some(button) = button() {
        show(&main, &side, &button, !main.has_attribute(OPEN));
    } else {
        side.scroll_into_view();
        focus(&side);
    }
    true
}

/// Closes the drawer; false if it is not open.
pub(super) fn close() -> bool {
    let open = first("main[data-drawer]").zip(first("#side")).zip(button());
    if let Some(((main, side), button)) = &open {
        show(main, side, button, false);
    }
    open.is_some()
}

/// Returns the button of the drawer, if the screen is so narrow that there is one.
fn button() -> Option<Element> {
    first("#open-side").filter(is_laid_out)
}

fn show(main: &Element, side: &Element, button: &Element, open: bool) {
    let had_focus = has_focus(side);
    mark(main, OPEN, open);
    set(button, "aria-expanded", if open { "true" } else { "false" });
    if open {
        focus(side);
    } else if had_focus {
        focus(button);
    }
}
