//! The live check of a new session's name.

use leptos::prelude::*;

/// What stands there before anything is typed.
pub(super) const RULE: &str = "lower-case letters, digits and -, starting with a letter or digit";

/// What stands under the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    /// For a person.
    pub(super) text: String,
    /// Whether the name cannot be taken.
    pub(super) wrong: bool,
}

/// Under the name field: the rule, then the tmux session that the name leads to, or what is wrong with it.
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
