//! Failure of a notification.

use std::time::Duration;

/// Reason why a notification was not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Failure {
    /// Description for people. It contains no secret and no path of an address.
    pub(super) text: String,
    /// Pause that the target asked for.
    pub(super) pause: Duration,
    /// True if it may have arrived anyway.
    pub(super) unsure: bool,
    /// True if the target did not accept the secret.
    pub(super) refused: bool,
    /// True if the target does not know the address or the method.
    pub(super) unknown: bool,
}

impl Failure {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
