//! Times for people: how long a state has lasted, and clock times of the server for readers without scripts.
//!
//! With scripts the browser shows the same times in the reader's zone and keeps the ages current.

use jiff::{Timestamp, tz::TimeZone};
use leptos::prelude::*;

/// Returns a time of a row in seconds since 1970; `None` if the row has none.
pub(crate) fn seconds(time: &str) -> Option<u64> {
    time.parse::<Timestamp>().ok().and_then(|at| u64::try_from(at.as_second()).ok())
}

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap_or(0)
}

/// Formats a duration in its largest useful unit: `40 s`, `4 min`, `2 h`, `6 d`.
pub(crate) fn lasted(seconds: u64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Returns the number of seconds after which [`lasted`] has another text.
pub(crate) fn lasts_until(seconds: u64) -> u64 {
    let unit = match seconds {
        ..60 => 1,
        60..3_600 => 60,
        3_600..172_800 => 3_600,
        _ => 86_400,
    };
    unit - seconds % unit
}

/// Returns the current time as `HH:MM`, by the server's clock and time zone.
pub(crate) fn clock() -> String {
    short(Timestamp::now(), "%H:%M")
}

/// Returns a time as `HH:MM` if it is of today, else as `26 Nov`; empty if it is no time.
pub(crate) fn moment(time: &str) -> String {
    let Ok(at) = time.parse::<Timestamp>() else { return String::new() };
    let zone = TimeZone::system();
    let today = Timestamp::now().to_zoned_datetime(zone.clone()).date() == at.to_zoned_datetime(zone).date();
    short(at, if today { "%H:%M" } else { "%-d %b" })
}

/// Returns a time in full, with its zone.
pub(crate) fn in_full(time: &str) -> String {
    time.parse().map(|at| short(at, "%-d %b %Y, %H:%M:%S %Z")).unwrap_or_default()
}

fn short(at: Timestamp, format: &str) -> String {
    at.to_zoned_datetime(TimeZone::system()).strftime(format).to_string()
}

/// Renders how long ago a time was; nothing if the row has none. The browser keeps it current.
#[component]
pub(crate) fn Ago(#[prop(into)] time: String) -> impl IntoView {
    seconds(&time).map(move |then| {
        let text = lasted(now().saturating_sub(then));
        let title = in_full(&time);
        view! { <time datetime=time title=title data-ago="">{text}</time> }
    })
}

/// Renders a moment: the time of today, or the day. The browser shows it in the reader's zone.
#[component]
pub(crate) fn Moment(#[prop(into)] time: String) -> impl IntoView {
    let (text, title) = (moment(&time), in_full(&time));
    (!text.is_empty()).then(move || view! { <time datetime=time title=title data-moment="">{text}</time> })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_says_enough() {
        for (seconds, text, until) in [
            (0, "0 s", 1),
            (59, "59 s", 1),
            (61, "1 min", 59),
            (3_599, "59 min", 1),
            (3_600, "1 h", 3_600),
            (90_000, "25 h", 3_600),
            (172_800, "2 d", 86_400),
            (600_000, "6 d", 4_800),
        ] {
            assert_eq!(lasted(seconds), text);
            assert_eq!(lasts_until(seconds), until, "{text}");
            assert_ne!(lasted(seconds + until), text);
        }
    }

    #[test]
    fn a_row_without_a_time_has_none() {
        assert_eq!(seconds("2026-11-30T08:00:00Z"), Some(1_796_025_600));
        assert_eq!(seconds(""), None);
        assert_eq!(moment("soon"), "");
    }
}
