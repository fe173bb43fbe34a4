//! Relative times for people.

use jiff::Timestamp;

/// Formats a time in the largest useful unit: `now`, `4 min ago`, `2 h ago`, `6 days ago`; empty for an empty time.
pub(super) fn ago(time: &str) -> String {
    time.parse().map(|then| between(then, Timestamp::now())).unwrap_or_default()
}

fn between(then: Timestamp, now: Timestamp) -> String {
    match now.as_second().saturating_sub(then.as_second()) {
        ..60 => "now".to_owned(),
        seconds @ 60..3_600 => format!("{} min ago", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_says_enough() {
        let now: Timestamp = "2026-05-08T12:00:00Z".parse().expect("a time");
        let ago = |text: &str| between(text.parse().expect("a time"), now);
        assert_eq!(ago("2026-05-08T11:59:30Z"), "now");
        assert_eq!(ago("2026-05-08T11:56:00Z"), "4 min ago");
        assert_eq!(ago("2026-05-07T23:00:00Z"), "13 h ago");
        assert_eq!(ago("2026-05-02T11:00:00Z"), "6 days ago");
        assert_eq!(ago("2026-05-09T11:00:00Z"), "now", "a clock that was set back");
        assert_eq!(super::ago(""), "");
    }
}
