//! Sign-in by an address with a one-time code, opened in a tab that already shows the page.

use web_sys::Event;

use super::{listen, set_address, window};

/// Prefix of the code in the address.
const CODE: &str = "#code=";

/// Handles a code in the address. A signed-in browser does not need it; another one loads the page that accepts it.
pub(super) fn attach() {
    if has_code() {
        set_address("#/standing");
    }
    listen(&window(), "hashchange", opened);
}

/// Handles a new fragment, which alone does not load a page.
fn opened(_: &Event) {
    if has_code() {
        let _ = window().location().reload();
    }
}

fn has_code() -> bool {
    window().location().hash().is_ok_and(|hash| hash.starts_with(CODE))
}
