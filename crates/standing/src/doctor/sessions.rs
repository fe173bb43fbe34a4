//! Check that sessions could start, and that a tmux session under a managed name is the managed one.

use wire::{Check, Finding, SessionName};

use super::CheckContext;
use crate::{
    definition::{Definition, check_directory},
    lifecycle::orphan,
    registry::Entry,
    state::Condition,
};

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = patient.definitions().flat_map(|definition| startable(&definition)).collect();
    let judged = patient.entries.iter().filter_map(|(name, entry)| amiss(patient, name, entry));
    findings.extend(judged);
    findings
}

fn startable(definition: &Definition) -> Vec<Finding> {
    let name = &definition.name;
    let place = || format!("session `{name}`");
    let cwd = check_directory(&definition.cwd).err().map(|reason| {
        let remedy = if definition.declared {
            "create it, or change the session's `cwd` (or `routing.spawnWorkdir` if it has none)".to_owned()
        } else {
            format!("create it, or delete the session with `the-loop standing delete {name}` and create it elsewhere")
        };
        Finding::hazard(Check::Session, place(), reason, remedy)
    });
    let brief = definition.brief.read().err().map(|reason| {
        Finding::hazard(
            Check::Session,
            place(),
            reason,
            "make that file readable, or change the session's `promptFile`",
        )
    });
    cwd.into_iter().chain(brief).collect()
}

fn amiss(patient: &CheckContext<'_>, name: &SessionName, entry: &Entry) -> Option<Finding> {
    let place = format!("session `{name}`");
    match patient.context.judge(name, entry, patient.panes.as_ref()).condition {
        Condition::Unrecorded(pane) => {
            let id = patient.context.remembered(name, &pane).harness_session_id;
            let conversation = if id.is_empty() { String::new() } else { format!(" (conversation {id})") };
            let what =
                format!("running, but its record is missing{conversation}: it cannot be stopped, messaged or resumed");
            let remedy = format!("restore the record with `the-loop standing restore {name}`");
            Some(Finding::hazard(Check::Session, place, what, remedy))
        }
        Condition::Foreign(_) => Some(Finding::hazard(
            Check::Session,
            place,
            "a tmux session that is not managed by the-loop has its name, so it cannot start",
            format!("{}, then close or rename it", patient.context.look_at(name).text()),
        )),
        Condition::Orphaned => {
            let record = entry.record()?;
            // A lost server is reported once for all its sessions.
            let lost = record.server.as_ref().is_some_and(orphan::is_lost);
            (!lost).then(|| {
                let remedy =
                    format!("stop it with `the-loop standing stop {name}`; the next start resumes its conversation");
                Finding::hazard(Check::Session, place, orphan::told(record).cause, remedy)
            })
        }
        _ => None,
    }
}
