//! Times and days of entries, by the server's clock and zone. The browser shows them in the reader's zone.

use jiff::{SpanRelativeTo, Timestamp, civil, tz::TimeZone};
use leptos::prelude::*;

fn local(at: Timestamp) -> jiff::ZonedDateTime {
    at.to_zoned_datetime(TimeZone::system())
}

/// Renders the time of an entry.
#[component]
pub(crate) fn Clock(at: Timestamp) -> impl IntoView {
    let (text, title) = (local(at).strftime("%H:%M"), local(at).strftime("%-d %b %Y, %H:%M:%S %Z"));
    let (text, title) = (text.to_string(), title.to_string());
    view! {
        <time datetime=at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string() title=title data-clock="">
            {text}
        </time>
    }
}

/// Returns the day of a time, as `2026-11-30`.
pub(super) fn day(at: Timestamp) -> String {
    local(at).date().to_string()
}

/// Returns the head of a day: `Today`, `Yesterday`, `23 November`, with the year if it is another one.
pub(super) fn head(day: &str, now: Timestamp) -> String {
    let Ok(date) = day.parse::<civil::Date>() else { return day.to_owned() };
    let today = local(now).date();
    if date == today {
        "Today".to_owned()
    } else if today.yesterday().is_ok_and(|yesterday| yesterday == date) {
        "Yesterday".to_owned()
    } else if date.year() == today.year() {
        date.strftime("%-d %B").to_string()
    } else {
        date.strftime("%-d %B %Y").to_string()
    }
}

/// Error of a text that is not a time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotATime;

impl std::fmt::Display for NotATime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Use a date and time such as 2026-01-31T12:00, or a time span such as 2h or 1d")
    }
}

/// Reads a time of the filter: a date and time of the server's zone, as a browser's field sends it; a time with its zone;
/// or a span before now, as for `the-loop events --since`.
pub(super) fn parse(text: &str) -> Result<Timestamp, NotATime> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(at) = text.parse::<civil::DateTime>() {
        return at.to_zoned_datetime(TimeZone::system()).map(|at| at.timestamp()).map_err(|_| NotATime);
    }
    let span = text.parse::<jiff::Span>().map_err(|_| NotATime)?;
    let length = span.abs().to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| NotATime)?;
    Timestamp::now().checked_sub(length).map_err(|_| NotATime)
}

/// Returns a time of the filter as the value of a browser's field for date and time; empty if it is not a time.
pub(super) fn field(text: &str) -> String {
    parse(text).map(|at| local(at).strftime("%Y-%m-%dT%H:%M").to_string()).unwrap_or_default()
}

/// Returns the name of the server's zone now, such as `CET`.
pub(super) fn zone() -> String {
    local(Timestamp::now()).strftime("%Z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_head_and_a_filter_takes_what_a_browser_and_a_person_write() {
        let now = Timestamp::now();
        let today = local(now).date();
        assert_eq!(head(&day(now), now), "Today");
        assert_eq!(head(&today.yesterday().expect("a day").to_string(), now), "Yesterday");
        assert_eq!(head("1999-05-23", now), "23 May 1999");
        assert_eq!(head("soon", now), "soon");
        for text in ["2026-01-31T12:00:00Z", "2026-01-31T12:00", "2026-01-31T12:00:30", "2026-01-31", "2h", "1d", "30m"]
        {
            assert!(parse(text).is_ok(), "{text}");
            assert_eq!(field(text).len(), "2026-01-31T12:00".len(), "{text}");
        }
        for text in ["yesterday", "2026-13-01", "30", "-", "999999999d", "<b>"] {
            assert_eq!(parse(text), Err(NotATime), "{text}");
            assert_eq!(field(text), "");
        }
    }
}
