//! Notices of features that the machine refuses and that the-loop can do without. Each is reported once, not by every
//! verb.

use std::sync::{Mutex, PoisonError};

static NOTICES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records a notice, unless it was already recorded.
pub(crate) fn tell(what: String) {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    if !notices.contains(&what) {
        tracing::warn!("{what}");
        notices.push(what);
    }
}

/// Returns the notices since the start of this process.
pub fn notices() -> Vec<String> {
    NOTICES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
