//! Whether the harnesses that are asked for can be started: that of every session, and the default one.

use std::collections::BTreeMap;

use wire::{Check, Finding};

use super::Patient;
use crate::harness::find_program;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let default = patient.settings().routing.default_harness.clone();
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for definition in patient.definitions() {
        wanted.entry(definition.harness).or_default().push(format!("session `{}`", definition.name));
    }
    wanted.entry(default.clone()).or_default().push("the default harness".to_owned());
    wanted.iter().filter_map(|(harness, who)| missing(patient, harness, &who.join(", "))).collect()
}

fn missing(patient: &Patient<'_>, name: &str, who: &str) -> Option<Finding> {
    let place = format!("harness `{name}` ({who})");
    let adapter = match patient.scope.harness(name) {
        Ok(adapter) => adapter,
        Err(reason) => {
            let remedy = "name another one, or define it under `routing.harnesses`";
            return Some(Finding::hazard(Check::Harness, place, reason, remedy));
        }
    };
    let (scope, program) = (patient.scope, adapter.program());
    let reason = find_program(program, scope.config.path.project_dir(), &scope.surroundings).err()?;
    let what = reason.strip_suffix(": install it, or use another harness").unwrap_or(&reason).to_owned();
    let remedy = "install it, or see that it is on PATH; or name another one (`routing.defaultHarness`, a session's \
                  `harness`): `demo` is always there";
    Some(Finding::hazard(Check::Harness, place, what, remedy))
}
