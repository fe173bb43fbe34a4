//! Check for a literal `~` in PATH: only a shell expands it.

use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let here = &patient.context.surroundings;
    let path = here.var("PATH").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let literal: Vec<&str> = path.split(':').filter(|part| *part == "~" || part.starts_with("~/")).collect();
    if literal.is_empty() {
        return Vec::new();
    }
    let what = format!("contains a literal {}: programs there are not found", literal.join(", "));
    let remedy = "write `$HOME` instead of `~` where PATH is set";
    vec![Finding::hazard(Check::Environment, "the variable PATH", what, remedy)]
}
