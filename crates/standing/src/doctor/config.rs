//! A config that cannot be used has every verb but `stop` refuse.

use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let remedy = "fix it there; until then only `stop` works";
    let finding = |problem: &crate::config::ConfigProblem| {
        Finding::hazard(Check::Config, patient.context.config_file(), problem.to_string(), remedy)
    };
    patient.context.config.problems.iter().map(finding).collect()
}
