//! Live check of a name, by the same rule as on the server.

use wasm_bindgen::JsCast;
use web_sys::{Document, Event, HtmlInputElement};
use wire::SessionName;

use super::{first, listen, mark, set, target, tell, unset};
use crate::islands::hint::RULE;

/// ID of the text below the field.
const HINT: &str = "#new-name-hint";

/// Shows the tmux session for the typed name, or the mistake in it.
pub(super) fn attach(document: &Document) {
    listen(document, "input", changed);
    listen(document, "reset", |_| show(RULE, false));
}

fn changed(event: &Event) {
    let field = target(event).filter(|field| field.id() == "new-name");
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) else { return };
    let name = field.value();
    unset(&field, "aria-invalid");
    match SessionName::parse(&name) {
        _ if name.is_empty() => show(RULE, false),
        Ok(name) => show(&["tmux session: ", &name.tmux_session()].concat(), false),
        Err(wrong) => {
            set(&field, "aria-invalid", "true");
            show(&wrong.to_string(), true);
        }
    }
}

fn show(text: &str, wrong: bool) {
    tell(HINT, text);
    if let Some(hint) = first(HINT) {
        mark(&hint, "data-wrong", wrong);
    }
}
