//! Shows why the page may be out of date, and until when it was right.

use std::cell::Cell;

use super::{
    announce,
    failure::Failure,
    first, mark, root, set,
    tabs::{self, Message},
    tell, times, unset,
};

/// Attribute of the document with the reason why it may be out of date. Each reason has its own line at the top of the
/// page.
const STALE: &str = "data-stale";
const SIGNED_OUT: &str = "data-signed-out";
const REFUSED: &str = "data-refused";

thread_local! {
    /// Time of the last answer, in milliseconds since 1970.
    static ANSWERED: Cell<f64> = const { Cell::new(0.0) };
}

/// True if the service does not answer.
pub(super) fn is_lost() -> bool {
    root().has_attribute(STALE)
}

/// True if the page says that it may be out of date.
pub(super) fn is_marked() -> bool {
    [STALE, SIGNED_OUT, REFUSED].iter().any(|reason| root().has_attribute(reason))
}

/// Records a sign of life of the stream. A stream goes on when the sign-in has ended, so it says nothing about that.
pub(super) fn alive() {
    ANSWERED.set(web_sys::js_sys::Date::now());
    if is_lost() {
        announce("Connected to the service again.", false);
        mark(&root(), STALE, false);
    }
}

/// Records that the service answered a request: the page is up to date, and the browser is signed in.
pub(super) fn answered() {
    alive();
    for reason in [SIGNED_OUT, REFUSED] {
        mark(&root(), reason, false);
    }
}

/// Shows at the top of the page why it may be out of date, in all tabs of the browser.
pub(super) fn failed(failure: &Failure) {
    if tabs::is_reader() {
        let (id, data) = match failure {
            Failure::Silent => ("silent", ""),
            Failure::SignedOut => ("signed-out", ""),
            Failure::Refused(why) | Failure::Gone(why) => ("refused", why.as_str()),
        };
        tabs::post(&Message::Event { name: "failure", id, data });
    }
    show(failure);
}

/// Shows what another tab found out.
pub(super) fn told(id: &str, data: &str) {
    show(&match id {
        "silent" => Failure::Silent,
        "signed-out" => Failure::SignedOut,
        _ => Failure::Refused(data.to_owned()),
    });
}

fn show(failure: &Failure) {
    match failure {
        Failure::Silent => {
            if !is_lost() {
                tell("#offline-since", &times::clock(ANSWERED.get()));
                announce("The service does not answer.", false);
            }
            reason(STALE);
        }
        Failure::SignedOut => {
            if !root().has_attribute(SIGNED_OUT) {
                announce("You are signed out. Your input is kept.", false);
            }
            reason(SIGNED_OUT);
        }
        Failure::Refused(why) | Failure::Gone(why) => {
            if let Some(line) = first("#refused") {
                line.set_text_content(Some(why));
            }
            reason(REFUSED);
        }
    }
}

/// Sets the reason. There is one at a time: the newest applies.
fn reason(reason: &str) {
    if !root().has_attribute(reason) {
        for other in [STALE, SIGNED_OUT, REFUSED] {
            unset(&root(), other);
        }
        set(&root(), reason, "");
    }
}
