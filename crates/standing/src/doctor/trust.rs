//! Check for a trust dialog that an unattended session would meet: its harness asks whether the working directory is
//! trusted.

use std::{collections::BTreeSet, path::Path};

use harness::{Act, Trust, find_program};
use wire::{Check, Finding};

use super::CheckContext;
use crate::{registry::Record, variables::Env};

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let definitions = patient.context.definitions();
    let default = patient.settings().routing.default_harness.clone();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    let sessions =
        patient.sessions().map(|(known, record)| ((known.harness, known.harness_args, known.env), known.cwd, record));
    let args = definitions.inherited_args(&default);
    let default = ((default, args, Env::new()), definitions.directory(""), None);
    for ((harness, args, env), cwd, record) in sessions.chain([default]) {
        let account = (env.clone(), record.map(|record| record.account.clone()));
        // Another check reports a missing folder, and no trust can be looked up for it.
        if cwd.is_dir() && seen.insert((harness.clone(), cwd.clone(), account)) {
            findings.extend(look(patient, &harness, &args, &env, &cwd, record));
        }
    }
    findings
}

fn look(
    patient: &CheckContext<'_>,
    name: &str,
    args: &[String],
    env: &Env,
    cwd: &Path,
    record: Option<&Record>,
) -> Option<Finding> {
    let (context, settings) = (patient.context, patient.settings().routing.harness_trust);
    let adapter = context.harness(name).ok()?;
    let environment = context.environment_to_start(&adapter, env, cwd, record).ok()?;
    // A harness that cannot start asks nothing.
    find_program(adapter.program(), cwd, &environment.vars).ok()?;
    let place = format!("harness `{name}` in {}", cwd.display());
    match adapter.trust(&context.place_with(environment.vars, cwd), args, settings, Act::Look) {
        Ok(Trust::Given | Trust::Added) => None,
        // The next start writes it.
        Ok(Trust::Missing) if settings.enabled => None,
        Ok(Trust::Missing) => Some(Finding::hazard(
            Check::Trust,
            place,
            "the directory is not trusted, so an unattended session waits at the trust prompt",
            format!("set `routing.harnessTrust.enabled: true`, or run `{name}` there once and answer its prompt"),
        )),
        Err(reason) => Some(Finding::hazard(
            Check::Trust,
            place,
            format!("could not record trust ({reason}): an unattended session would wait at the trust prompt"),
            "fix that file; the-loop does not change a file that it cannot parse",
        )),
    }
}
