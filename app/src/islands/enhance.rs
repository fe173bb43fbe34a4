//! Handlers for the whole page.

use leptos::prelude::*;

/// Sends forms without navigation, keeps the page up to date and handles keys. Results are announced to screen readers
/// as well.
#[island]
pub fn Enhance() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    super::browser::attach();
    view! { <output class="visually-hidden" id="announce" aria-live="polite"></output> }
}
