//! What the machine refuses and the-loop gets along without: told once, not with every verb.

use std::sync::{Mutex, PoisonError};

static NOTICES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Tells of something, unless it was told already.
pub(crate) fn tell(what: String) {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    if !notices.contains(&what) {
        tracing::warn!("{what}");
        notices.push(what);
    }
}

/// What was told of since the start of this process.
pub fn notices() -> Vec<String> {
    NOTICES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
