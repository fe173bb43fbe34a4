//! Waits for conditions, never for a fixed time.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Timeout for a condition. It is generous, since only a broken product reaches it.
pub const CAP: Duration = Duration::from_secs(20);

const INTERVAL: Duration = Duration::from_millis(15);

/// Polls until there is a value, and returns it.
///
/// # Panics
///
/// After [`CAP`], with the name of the condition.
#[track_caller]
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(CAP, what, look)
}

/// Polls with another timeout, for slow conditions.
///
/// # Panics
///
/// After `cap`, with the name of the condition.
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
