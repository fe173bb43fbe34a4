//! Keeps a visible page up to date, and shows when it cannot.

use std::cell::Cell;

use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::{VisibilityState, js_sys::Promise};

use super::{
    announce, document, first, listen,
    page::{self, Failure},
    root, set, unset, window,
};

/// Interval between refreshes, in milliseconds.
const PERIOD: i32 = 2000;
/// Number of missing answers after which the page is marked as possibly out of date.
const PATIENCE: u32 = 2;

/// Attribute of the document with the reason why it may be out of date. Each reason has its own line at the top of the
/// page.
const STALE: &str = "data-stale";
const SIGNED_OUT: &str = "data-signed-out";
const REFUSED: &str = "data-refused";

thread_local! {
    static MISSED: Cell<u32> = const { Cell::new(0) };
}

/// Starts the refreshes. A slow service gets fewer requests, and never two at once.
pub(super) fn attach() {
    listen(&document(), "visibilitychange", |_| {
        if is_wanted() {
            spawn_local(refreshed());
        }
    });
    spawn_local(async {
        let mut pause = PERIOD;
        loop {
            let _ = JsFuture::from(wait(pause)).await;
            pause = PERIOD;
            if is_wanted() {
                let begun = now();
                refreshed().await;
                pause += 4 * (now() - begun);
            }
        }
    });
}

fn wait(milliseconds: i32) -> Promise {
    Promise::new(&mut |wake, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&wake, milliseconds);
    })
}

/// Returns milliseconds since a fixed moment.
#[expect(clippy::cast_possible_truncation, reason = "a page is not open for weeks, and only differences count")]
fn now() -> i32 {
    window().performance().map_or(0.0, |clock| clock.now()) as i32
}

/// True while the page is visible.
fn is_wanted() -> bool {
    document().visibility_state() == VisibilityState::Visible
}

/// Requests the page at the current address at once.
pub(super) fn refresh() {
    spawn_local(refreshed());
}

async fn refreshed() {
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
        Err(failure) => failed(&failure),
    }
}

/// Records that the service answered.
pub(super) fn answered() {
    if MISSED.replace(0) >= PATIENCE {
        announce("Connected to the service again.", false);
    }
}

/// Removes the marks: the page is up to date.
pub(super) fn up_to_date() {
    for mark in [STALE, SIGNED_OUT, REFUSED] {
        unset(&root(), mark);
    }
}

/// Handles a failed refresh: shows at the top of the page why it may be out of date.
pub(super) fn failed(failure: &Failure) {
    match failure {
        Failure::Silent => {
            MISSED.set(MISSED.get() + 1);
            if MISSED.get() >= PATIENCE {
                mark(STALE);
            }
        }
        Failure::SignedOut => {
            answered();
            if !root().has_attribute(SIGNED_OUT) {
                announce("You are signed out. Your input is kept.", false);
            }
            mark(SIGNED_OUT);
        }
        Failure::Refused(reason) => {
            answered();
            if let Some(line) = first("#refused") {
                line.set_text_content(Some(reason));
            }
            mark(REFUSED);
        }
    }
}

/// Sets the reason. There is one at a time: the newest applies.
fn mark(reason: &str) {
    if !root().has_attribute(reason) {
        up_to_date();
        set(&root(), reason, "");
    }
}
