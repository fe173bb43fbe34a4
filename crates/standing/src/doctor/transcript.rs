//! Check that the conversations that a start would resume still exist, and for how long their harness keeps them.

use std::{fs, time::Duration};

use harness::Retention;
use wire::{Check, Finding};

use super::CheckContext;
use crate::{registry::Record, state::Condition};

const DAY: Duration = Duration::from_hours(24);

/// Days before a conversation's end at which the warning begins.
const AHEAD: u64 = 5;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    patient
        .records()
        .filter(|record| !record.harness_session_id.is_empty())
        .filter_map(|record| look(patient, record))
        .collect()
}

fn look(patient: &CheckContext<'_>, record: &Record) -> Option<Finding> {
    let context = patient.context;
    let adapter = context.harness(&record.harness).ok()?;
    let place = context.place(record);
    let retention = adapter.retention(&place);
    let (name, id) = (&record.name, &record.harness_session_id);
    let session = format!("session `{name}`");
    if retention == Retention::None {
        let what = format!("`{}` is set to keep no transcripts, so its conversation cannot be resumed", record.harness);
        return Some(Finding::hazard(Check::Session, session, what, KEEP));
    }
    let entry = patient.entries.get(name)?;
    let lives = matches!(context.judge(name, entry, patient.panes.as_ref()).condition, Condition::Live(_));
    let path = adapter.transcript(&place, id)?;
    let written = match fs::metadata(&path).and_then(|meta| meta.modified()) {
        Ok(written) => written,
        // A running session may not have written anything yet.
        Err(_) if lives => return None,
        Err(error) => {
            let what = format!("the transcript of its conversation {id} is missing ({}: {error})", path.display());
            let remedy = format!(
                "restore that file from a backup; otherwise `the-loop standing start {name}` begins a new conversation"
            );
            return Some(Finding::hazard(Check::Session, session, what, remedy));
        }
    };
    let Retention::Days(days) = retention else { return None };
    let age = written.elapsed().ok()?.as_secs() / DAY.as_secs();
    if age + AHEAD < days {
        return None;
    }
    let what = format!(
        "the transcript of its conversation {id} was last written {}, and `{}` deletes it after {days} days",
        match age {
            0 => "today".to_owned(),
            1 => "yesterday".to_owned(),
            age => format!("{age} days ago"),
        },
        record.harness
    );
    let written_by = if lives { "send" } else { "start the session and send" };
    let remedy = format!("{KEEP}, and {written_by} it a message so that its transcript is written");
    Some(if age >= days {
        Finding::hazard(Check::Session, session, what, remedy)
    } else {
        Finding::notice(Check::Session, session, what, remedy)
    })
}

const KEEP: &str = "set `cleanupPeriodDays` to a large number in the `settings.json` of Claude Code (or the \
                    retention setting of the harness)";
