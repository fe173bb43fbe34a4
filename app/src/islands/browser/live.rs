//! Keeps the page up to date while it is looked at, and says so when it cannot.

use std::cell::Cell;

use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::VisibilityState;

use super::{announce, document, listen, page, root, set, window};

/// How often, in milliseconds.
const PERIOD: i32 = 2000;
/// How many answers may be missing before the page says that it may be out of date.
const PATIENCE: u32 = 2;

thread_local! {
    static MISSED: Cell<u32> = const { Cell::new(0) };
    /// Forms that are on their way: their answers bring the page.
    static SENDING: Cell<u32> = const { Cell::new(0) };
}

/// Refreshes from now on.
pub(super) fn attach() {
    let timer = Closure::<dyn FnMut()>::new(tick).into_js_value();
    listen(&document(), "visibilitychange", |_| tick());
    let _ = window().set_interval_with_callback_and_timeout_and_arguments_0(timer.unchecked_ref(), PERIOD);
}

/// A form was sent, or its answer came.
pub(super) fn sending(begins: bool) {
    SENDING.set(if begins { SENDING.get() + 1 } else { SENDING.get().saturating_sub(1) });
}

/// Asks for the page as it is now, if somebody looks and nothing else is about to bring it.
fn tick() {
    if document().visibility_state() == VisibilityState::Visible && SENDING.get() == 0 {
        refresh();
    }
}

/// Asks for the page at the address as it is now.
pub(super) fn refresh() {
    spawn_local(async {
        let address = window().location().href();
        let Ok(asked) = &address else { return };
        match page::fetch(asked, None).await {
            Ok(page) => {
                answered();
                // The filter may have been changed, or a form answered, in the meantime.
                if page.is_newest() && window().location().href() == address {
                    page.show();
                }
            }
            Err(_) => missed(),
        }
    });
}

/// The service is there.
pub(super) fn answered() {
    if MISSED.replace(0) >= PATIENCE {
        announce("The service answers again.", false);
    }
}

/// The service was not there.
pub(super) fn missed() {
    MISSED.set(MISSED.get() + 1);
    if MISSED.get() >= PATIENCE {
        set(&root(), "data-stale", "");
    }
}
