//! A config that cannot be used has every verb but `stop` refuse.

use wire::{Check, Finding};

use super::Patient;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let remedy = "fix it there; until then only `stop` works";
    let finding = |problem: &crate::config::ConfigProblem| {
        Finding::hazard(Check::Config, patient.scope.config_file(), problem.to_string(), remedy)
    };
    patient.scope.config.problems.iter().map(finding).collect()
}
