//! The WASM entry: the part of the page that runs in the browser.
//!
//! It starts the islands of `app` and holds no logic of its own.

// Names the crate so that it is linked: islands are exported symbols, and without a use of the crate every one of them
// is silently left out of the bundle.

use app as _;

/// Makes every island of the page live. Called once by the page's start script.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
