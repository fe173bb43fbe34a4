//! Rate limits over all routes: token buckets.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Number of messages that pass at once.
const BURST: f64 = 200.0;

/// Number of messages per second after that.
const A_SECOND: f64 = 20.0;

/// Token bucket.
#[derive(Debug)]
pub(crate) struct Limit {
    burst: f64,
    a_second: f64,
    state: Mutex<(f64, Instant)>,
}

impl Default for Limit {
    fn default() -> Self {
        Self::new(BURST, A_SECOND)
    }
}

impl Limit {
    /// Returns a full bucket: the number that passes at once, and the number per second after that.
    pub(crate) fn new(burst: f64, a_second: f64) -> Self {
        Self { burst, a_second, state: Mutex::new((burst, Instant::now())) }
    }

    /// Takes a token, or returns the time until the next one.
    pub(crate) fn take(&self) -> Result<(), Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let filled = (state.0 + now.duration_since(state.1).as_secs_f64() * self.a_second).min(self.burst);
        *state = (filled, now);
        if filled < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - filled) / self.a_second));
        }
        state.0 -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_it_is_told_to_wait() {
        let limit = Limit::default();
        let passed = (0..10_000).take_while(|_| limit.take().is_ok()).count();
        assert!((200..10_000).contains(&passed), "{passed}");
        assert!(limit.take().is_err_and(|wait| wait <= Duration::from_secs(1)));
    }
}
