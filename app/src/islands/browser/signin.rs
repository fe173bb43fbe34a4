//! Fragments of the address: a one-time code to sign in, opened in a tab that already shows the page, and the names of
//! other pages.

use web_sys::Event;

use super::{listen, set_address, window};

/// Prefix of the code in the address.
const CODE: &str = "#code=";

/// Handles a code in the address. A signed-in browser does not need it; another one loads the page that accepts it.
pub(super) fn attach() {
    if has_code() {
        set_address("#/standing");
    }
    lead();
    listen(&window(), "hashchange", opened);
}

/// Leads from the fragment of an address to its page: `#/events`, `#/standing/<name>`.
fn lead() {
    let fragment = window().location().hash().unwrap_or_default();
    let page = fragment.strip_prefix("#/").filter(|page| *page == "events" || page.starts_with("standing/"));
    if let Some(page) = page {
        let _ = window().location().replace(&["/", page].concat());
    }
}

/// Handles a new fragment, which alone does not load a page.
fn opened(_: &Event) {
    lead();
    if has_code() {
        let _ = window().location().reload();
    }
}

fn has_code() -> bool {
    window().location().hash().is_ok_and(|hash| hash.starts_with(CODE))
}
