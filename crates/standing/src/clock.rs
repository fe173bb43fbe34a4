//! Wall-clock times as they are written down. Time-outs use the monotonic clock instead.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

/// `YYYY-MM-DDTHH:MM:SSZ`, the form of every time in a record.
pub(crate) fn now() -> String {
    at(Timestamp::now())
}

/// A moment in that form.
pub(crate) fn at(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// True if a moment that another program wrote down is longer ago than that. A clock that was set back says no.
pub(crate) fn is_older(moment: SystemTime, than: Duration) -> bool {
    SystemTime::now().duration_since(moment).is_ok_and(|age| age > than)
}

/// Such a time in milliseconds since 1970; `None` if it is none.
pub(crate) fn milliseconds(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// The same with milliseconds, the form of an event's time.
pub(crate) fn now_millis() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
