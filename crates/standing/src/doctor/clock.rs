//! Check for a clock that went back: a record that was written tomorrow. No timeout depends on the clock, but
//! everything reported from it (a session's age, a cursor, the order of events) is wrong.

use wire::{Check, Finding};

use super::CheckContext;
use crate::clock::{milliseconds, now};

/// Tolerated difference of two clocks, in milliseconds: records may have been written on another machine.
const ALLOWED: i64 = 2 * 60 * 1000;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let now = now();
    let limit = milliseconds(&now).unwrap_or(i64::MAX).saturating_add(ALLOWED);
    let times = patient.records().flat_map(|record| {
        let times = [&record.created_at, &record.started_at, &record.spawned_at, &record.last_message_at];
        times.into_iter().map(move |time| (&record.name, time))
    });
    let ahead = times.filter(|(_, time)| milliseconds(time).is_some_and(|time| time > limit));
    let finding = ahead.max_by_key(|(_, time)| milliseconds(time)).map(|(name, time)| {
        let what = format!(
            "the record of `{name}` was written at {time}, after the current time {now}: the clock \
                            was set back"
        );
        let remedy = "set the clock (`timedatectl set-ntp true`); if it is correct, the next start of the session \
                      rewrites the record";
        Finding::hazard(Check::Clock, "the system clock", what, remedy)
    });
    finding.into_iter().collect()
}
