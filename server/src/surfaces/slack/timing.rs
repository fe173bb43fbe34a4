//! Intervals and timeouts. The defaults suit Slack; tests use shorter ones.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use jiff::Timestamp;

/// Intervals and timeouts of the listener.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Interval between two looks at the sessions when nothing changes.
    pub look: Duration,
    /// Time that a reply waits for an older one that may arrive directly after it.
    pub gather: Duration,
    /// Interval between two pings to Slack on a socket.
    pub ping: Duration,
    /// Time without any traffic after which a socket is dead.
    pub dead: Duration,
    /// Timeout for opening a socket and receiving its greeting.
    pub hello: Duration,
    /// Interval between two readings of all bound threads beside a socket. They find messages that the socket missed.
    pub sweep: Duration,
    /// Allowed delay of the socket behind such a reading before it counts as deaf.
    pub deaf: Duration,
    /// First and longest pause after a failure.
    pub pauses: (Duration, Duration),
    /// Pause after a failure that only an operator can fix.
    pub mending: Duration,
    /// Time for which posting a receipt is retried.
    pub patience: Duration,
    /// Interval between two readings in poll mode; overrides the config.
    pub poll: Option<Duration>,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(3),
            gather: Duration::from_millis(40),
            ping: Duration::from_secs(10),
            dead: Duration::from_secs(30),
            hello: Duration::from_secs(15),
            sweep: Duration::from_mins(5),
            deaf: Duration::from_secs(15),
            pauses: (Duration::from_millis(500), Duration::from_mins(1)),
            mending: Duration::from_mins(2),
            patience: Duration::from_mins(10),
            poll: None,
        }
    }
}

/// Longest pause after a connection failure that only an operator can fix.
const LONGEST: Duration = Duration::from_mins(15);

impl Timing {
    /// Returns the next longer pause for a failure that only an operator can fix.
    pub(super) fn longer(&self, mending: Duration) -> Duration {
        mending.saturating_mul(2).min(LONGEST.max(self.mending))
    }

    /// Returns pauses that double, with jitter, so that many clients do not reconnect at the same time.
    pub(super) fn backoff(&self) -> ExponentialBackoff {
        ExponentialBuilder::default()
            .with_min_delay(self.pauses.0)
            .with_max_delay(self.pauses.1)
            .with_factor(2.0)
            .with_jitter()
            .without_max_times()
            .build()
    }
}

/// Returns the current time in its written form.
pub(super) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
