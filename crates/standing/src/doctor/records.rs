//! Check that every record can be read.

use wire::{Check, Finding, SessionName};

use super::CheckContext;
use crate::registry::Entry;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let finding = |(name, entry): (&SessionName, &Entry)| match entry {
        Entry::Unreadable(reason) => {
            let place = patient.context.registry.path_of(name).display().to_string();
            let what = format!("could not read the record of `{name}` ({reason}); the name cannot be used");
            let remedy = "fix the file or move it away; it is not overwritten";
            Some(Finding::hazard(Check::Record, place, what, remedy))
        }
        Entry::Vacant | Entry::Recorded(_) => None,
    };
    patient.entries.iter().filter_map(finding).collect()
}
