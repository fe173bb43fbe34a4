//! Check for an unusable config, with which every verb but `stop` refuses to work.

use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let remedy = "fix it there; until then only `stop` works";
    let finding = |problem: &crate::config::ConfigProblem| {
        Finding::hazard(Check::Config, patient.context.config_file(), problem.to_string(), remedy)
    };
    patient.context.config.problems.iter().map(finding).collect()
}
