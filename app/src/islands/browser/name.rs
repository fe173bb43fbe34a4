//! Live check of a name, by the same rule as on the server.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};
use wire::SessionName;

use super::{document, listen, set, target, unset};
use crate::islands::hint::{Hint, RULE};

thread_local! {
    static HINT: Cell<Option<WriteSignal<Hint>>> = const { Cell::new(None) };
}

/// Shows the tmux session for the typed name, or the mistake in it.
pub(in crate::islands) fn watch_name(hint: WriteSignal<Hint>) {
    HINT.set(Some(hint));
    listen(&document(), "input", changed);
    listen(&document(), "reset", |_| tell(RULE.to_owned(), false));
}

fn changed(event: &Event) {
    let field = target(event).filter(|field| field.id() == "new-name");
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) else { return };
    let name = field.value();
    unset(&field, "aria-invalid");
    match SessionName::parse(&name) {
        _ if name.is_empty() => tell(RULE.to_owned(), false),
        Ok(name) => {
            let mut text = String::from("tmux session: ");
            text.push_str(&name.tmux_session());
            tell(text, false);
        }
        Err(wrong) => {
            set(&field, "aria-invalid", "true");
            tell(wrong.to_string(), true);
        }
    }
}

fn tell(text: String, wrong: bool) {
    if let Some(hint) = HINT.get() {
        hint.set(Hint { text, wrong });
    }
}
