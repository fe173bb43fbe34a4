//! Live check of a new session's name.

use leptos::prelude::*;

use super::hint::{Hint, RULE};

/// Shows the rule below the name field, then the tmux session for the name, or the mistake in it.
#[island]
pub fn NameHint() -> impl IntoView {
    let (hint, set_hint) = signal(Hint { text: RULE.to_owned(), wrong: false });
    #[cfg(feature = "hydrate")]
    super::browser::watch_name(set_hint);
    #[cfg(not(feature = "hydrate"))]
    let _ = set_hint;
    view! {
        <p class="hint" id="new-name-hint" class:wrong=move || hint.get().wrong>
            {move || hint.get().text}
        </p>
    }
}
