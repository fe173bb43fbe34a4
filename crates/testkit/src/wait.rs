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
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(CAP, what, look)
}

/// The same with another cap, for what is slow by nature.
///
/// # Panics
/// After `cap`, saying what was waited for.
#[track_caller]
pub fn wait_within<T>(cap: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begun.elapsed() < cap, "waited {cap:?} in vain for {what}");
        thread::sleep(INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_until_there_is_something() {
        let mut looks = 0;
        let seen = wait_for("the third look", || {
            looks += 1;
            (looks == 3).then_some(looks)
        });
        assert_eq!(seen, 3);
    }

    #[test]
    #[should_panic(expected = "in vain for a miracle")]
    fn says_what_was_waited_for() {
        wait_within(Duration::from_millis(20), "a miracle", || None::<()>);
    }
}
