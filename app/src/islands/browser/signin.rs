//! An address with a one-use code, opened in a tab that shows the page already.

use web_sys::Event;

use super::{listen, set_address, window};

/// Where the code stands in the address.
const CODE: &str = "#code=";

/// A browser that is signed in has no use for the code; one that is not loads the page that takes it.
pub(super) fn attach() {
    if has_code() {
        set_address("#/standing");
    }
    listen(&window(), "hashchange", opened);
}

/// A new fragment alone does not load anything.
fn opened(_: &Event) {
    if has_code() {
        let _ = window().location().reload();
    }
}

fn has_code() -> bool {
    window().location().hash().is_ok_and(|hash| hash.starts_with(CODE))
}
