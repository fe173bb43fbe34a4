//! Wall-clock times in their written form. Timeouts use the monotonic clock instead.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Returns the current time as `YYYY-MM-DDTHH:MM:SSZ`, the form of every time in a record.
pub fn now() -> String {
    at(Timestamp::now())
}

/// Returns the current time, to compare it with times that others wrote.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}

/// Formats a moment in the form of a record's times.
pub fn at(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// True if a moment that another program recorded is longer ago than this duration. False if the clock was set back.
pub fn is_older(moment: SystemTime, than: Duration) -> bool {
    SystemTime::now().duration_since(moment).is_ok_and(|age| age > than)
}

/// Returns the seconds since 1970, which tmux counts in as well. 0 on a clock that is set to before that.
pub fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// Converts a record's time to milliseconds since 1970; `None` if the text is not such a time.
pub fn milliseconds(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// Returns the current time with milliseconds, the form of an event's time.
pub fn now_millis() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
