//! Idempotency key of a form: a form that is sent twice counts once.

use leptos::prelude::*;
use uuid::Uuid;

/// Renders a key for the form. If the answer is lost, the same form sent again has the same key; the page that answers
/// has a new one.
#[component]
pub(crate) fn OnceField() -> impl IntoView {
    let key = Uuid::new_v4().simple().to_string();
    // A browser would otherwise restore the key of an answered form.
    view! { <input type="hidden" name="key" value=key data-once="" autocomplete="off" /> }
}
