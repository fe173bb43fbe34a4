//! WASM entry point: the part of the page that runs in the browser.
//!
//! It starts the islands of `app` and has no logic of its own.

// Names the crate so that it is linked. Islands are exported symbols, and without a use of the crate all of them are
// silently left out of the bundle.

use app as _;

/// Hydrates every island of the page. Called once by the page's start script.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
