//! Whether a dialog would meet an unattended session: its harness asks whether the working directory is trusted.

use std::{collections::BTreeSet, path::Path};

use wire::{Check, Finding};

use super::Patient;
use crate::harness::{Act, Trust, find_program};

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let definitions = patient.scope.definitions();
    let default = patient.settings().routing.default_harness.clone();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    let sessions = patient.definitions().map(|known| (known.harness, known.harness_args, known.cwd));
    let args = definitions.inherited_args(&default);
    for (harness, args, cwd) in sessions.chain([(default, args, definitions.directory(""))]) {
        // A folder that is not there is told of elsewhere, and nobody can be asked about it.
        if cwd.is_dir() && seen.insert((harness.clone(), cwd.clone())) {
            findings.extend(look(patient, &harness, &args, &cwd));
        }
    }
    findings
}

fn look(patient: &Patient<'_>, name: &str, args: &[String], cwd: &Path) -> Option<Finding> {
    let (scope, settings) = (patient.scope, patient.settings().routing.harness_trust);
    let adapter = scope.harness(name).ok()?;
    // One that cannot be started asks nothing.
    find_program(adapter.program(), cwd, &scope.surroundings).ok()?;
    let place = format!("harness `{name}` in {}", cwd.display());
    match adapter.trust(&scope.place(cwd), args, settings, Act::Look) {
        Ok(Trust::Given) => None,
        // The next start writes it.
        Ok(Trust::Missing) if settings.enabled => None,
        Ok(Trust::Missing) => Some(Finding::hazard(
            Check::Trust,
            place,
            "it does not trust the folder, and asks whoever starts it: an unattended session waits for ever",
            format!("set `routing.harnessTrust.enabled: true`, or start `{name}` there once by hand and answer"),
        )),
        Err(reason) => Some(Finding::hazard(
            Check::Trust,
            place,
            format!("trust cannot be written down ({reason}): its dialog would meet an unattended session"),
            "mend that file: the-loop leaves alone what it does not understand",
        )),
    }
}
