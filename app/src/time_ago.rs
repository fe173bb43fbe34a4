//! Relative times for people, by the server's clock.

use jiff::{Timestamp, tz::TimeZone};
use leptos::prelude::*;

/// Formats an age in the largest useful unit: `now`, `4 min`, `2 h`, `6 days`.
fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(then.as_second());
    match seconds {
        ..60 => "less than a minute".to_owned(),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Returns the current time as `HH:MM`, by the server's clock and time zone.
pub(crate) fn clock() -> String {
    Timestamp::now().to_zoned_datetime(TimeZone::system()).strftime("%H:%M").to_string()
}

/// Renders a time from a record with the words before it, as in `up 6 days`; nothing if the record has none.
#[component]
pub(crate) fn Ago(
    /// Words before the time.
    before: &'static str,
    /// `YYYY-MM-DDTHH:MM:SSZ`, or empty.
    time: String,
) -> impl IntoView {
    let then: Option<Timestamp> = time.parse().ok();
    then.map(|then| {
        let title = then.to_zoned_datetime(TimeZone::system()).strftime("%d %b %Y, %H:%M:%S %Z").to_string();
        view! {
            {before}
            " "
            <time datetime=time title=title>
                {ago(then, Timestamp::now())}
            </time>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_says_enough() {
        let now: Timestamp = "2026-05-08T12:00:00Z".parse().expect("a time");
        let ago = |text: &str| ago(text.parse().expect("a time"), now);
        assert_eq!(ago("2026-05-08T11:59:30Z"), "less than a minute");
        assert_eq!(ago("2026-05-08T11:56:00Z"), "4 min");
        assert_eq!(ago("2026-05-07T11:00:00Z"), "25 h");
        assert_eq!(ago("2026-05-02T11:00:00Z"), "6 days");
        // A clock that was set back.
        assert_eq!(ago("2026-05-09T11:00:00Z"), "less than a minute");
    }
}
