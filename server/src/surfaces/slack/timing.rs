//! How fast things happen. The defaults are for Slack; tests are in more of a hurry.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};

/// How fast things happen.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Between two looks at the sessions, if nothing changes before.
    pub look: Duration,
    /// How long a reply waits for an older one that may come right behind it.
    pub gather: Duration,
    /// Between two pings of ours on a socket.
    pub ping: Duration,
    /// After so long without a sign of life a socket is dead.
    pub dead: Duration,
    /// How long a socket may take to be opened and greet.
    pub hello: Duration,
    /// Between two readings of all bound threads beside a socket, in search of what it did not bring.
    pub sweep: Duration,
    /// How long the socket may lag behind such a reading before it counts as deaf.
    pub deaf: Duration,
    /// The first pause after a failure, and the longest.
    pub pauses: (Duration, Duration),
    /// The pause after a failure that only an operator can mend.
    pub mending: Duration,
    /// How long a receipt is tried to be told.
    pub patience: Duration,
    /// Between two readings in poll mode, in place of what the config says.
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

/// The longest pause after a failure of the connection that only an operator can mend.
const LONGEST: Duration = Duration::from_mins(15);

impl Timing {
    /// The pause after another one for a failure that only an operator can mend.
    pub(super) fn longer(&self, mending: Duration) -> Duration {
        mending.saturating_mul(2).min(LONGEST.max(self.mending))
    }

    /// Pauses that double, with jitter, so that many clients do not come back at once.
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
