//! Waiting for facts, never for time.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long a fact may take before the test fails: generous, since it is only ever reached by a broken product.
pub const CAP: Duration = Duration::from_secs(20);

const INTERVAL: Duration = Duration::from_millis(15);

/// Looks until there is something to see, and hands it over.
///
/// # Panics
/// After [`CAP`], saying what was waited for.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begun.elapsed() < CAP, "waited {} s in vain for {what}", CAP.as_secs());
        thread::sleep(INTERVAL);
    }
}
