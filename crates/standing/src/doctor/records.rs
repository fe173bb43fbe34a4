//! Whether every record can be read.

use wire::{Check, Finding, SessionName};

use super::Patient;
use crate::registry::Entry;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let finding = |(name, entry): (&SessionName, &Entry)| match entry {
        Entry::Unreadable(reason) => {
            let place = patient.scope.registry.path_of(name).display().to_string();
            let what = format!("the record of `{name}` cannot be read ({reason}), and its name is not free");
            let remedy = "mend the file, or move it away; it is never overwritten";
            Some(Finding::hazard(Check::Record, place, what, remedy))
        }
        Entry::Vacant | Entry::Recorded(_) => None,
    };
    patient.entries.iter().filter_map(finding).collect()
}
