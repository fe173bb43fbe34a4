//! Slack's time stamps. A stamp identifies a message within its channel, and a thread by its first message.

use std::{
    cmp::Ordering,
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

/// Time stamp `1700000000.000100`: seconds, and microseconds that always have six digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Ts(String);

impl Ts {
    /// Parses a time stamp; `None` if the text is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (seconds, micros) = text.split_once('.')?;
        let digits = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        (digits(seconds, 12) && digits(micros, 6) && micros.len() == 6).then(|| Self(text.to_owned()))
    }

    /// Returns the current time by the clock of this machine.
    pub(super) fn now() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(format!("{}.{:06}", now.as_secs(), now.subsec_micros()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns this time less a duration, at least zero.
    pub(super) fn before(&self, span: Duration) -> Self {
        let micros = self.micros().saturating_sub(u64::try_from(span.as_micros()).unwrap_or(u64::MAX));
        Self(format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000))
    }

    fn micros(&self) -> u64 {
        let (seconds, micros) = self.0.split_once('.').unwrap_or((&self.0, "0"));
        seconds.parse::<u64>().unwrap_or(0).saturating_mul(1_000_000).saturating_add(micros.parse().unwrap_or(0))
    }
}

impl Ord for Ts {
    fn cmp(&self, other: &Self) -> Ordering {
        self.micros().cmp(&other.micros()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Ts {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Ts {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is not a Slack timestamp"))
    }
}

impl From<Ts> for String {
    fn from(ts: Ts) -> Self {
        ts.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_and_ordered_by_time() {
        for wrong in ["", "1", "1.", ".000001", "1.0", "1.0000000", "a.000001", "1.-00001", "1.000001\n"] {
            assert_eq!(Ts::parse(wrong), None, "{wrong:?}");
        }
        let ts = |text| Ts::parse(text).expect("a stamp");
        assert!(ts("999.000000") < ts("1000.000000"));
        assert!(ts("1000.000001") > ts("1000.000000"));
        assert_eq!(ts("1000.000001").before(Duration::from_secs(1)).as_str(), "999.000001");
        assert_eq!(ts("1.000001").before(Duration::from_secs(5)).as_str(), "0.000000");
    }
}
