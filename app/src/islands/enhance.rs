//! Everything that listens to the whole page.

use leptos::prelude::*;

/// Sends forms in place, keeps the page up to date, answers keys. What came of an act is told here as well, for those
/// who listen rather than look.
#[island]
pub fn Enhance() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    super::browser::attach();
    view! { <output class="visually-hidden" id="announce" aria-live="polite"></output> }
}
