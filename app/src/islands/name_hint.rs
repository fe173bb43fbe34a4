//! The live check of a new session's name.

use leptos::prelude::*;

/// What stands there before anything is typed.
const RULE: &str = "lower-case letters, digits and -, beginning with a letter or digit";

/// Under the name field: the rule, then the tmux session that the name leads to, or what is wrong with it.
#[island]
pub fn NameHint() -> impl IntoView {
    let (hint, set_hint) = signal((String::from(RULE), false));
    #[cfg(feature = "hydrate")]
    super::browser::watch_name(set_hint);
    #[cfg(not(feature = "hydrate"))]
    let _ = set_hint;
    view! {
        <p class="hint" id="new-name-hint" class:wrong=move || hint.get().1>
            {move || hint.get().0}
        </p>
    }
}
