//! start: resume the recorded conversation, or begin a fresh one, and trust neither before it has lived for a while.

mod attempt;
mod plan;

use wire::{Outcome, Row, SessionName};

use super::{Scope, stop::attach};
use crate::{
    Error, clock,
    definition::Definition,
    events::{Event, Level},
    harness::Place,
    registry::{Hold, Phase, Record, RecordStatus},
    state::{Condition, how_it_ended},
};
use attempt::{Attempt, Conversation};
use plan::Plan;

/// How a start went.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) row: Row,
    /// True if a harness may yet come to be although the start failed: its record must not be dropped.
    pub(crate) unsure: bool,
}

/// Starts one session.
pub(crate) fn start(scope: &Scope, name: &SessionName) -> Result<Row, Error> {
    let record = scope.registry.read_whole(name)?;
    scope.definitions().resolve(name, record.as_ref())?;
    scope.registry.prepare()?;
    let hold = scope.hold(name, "start")?;
    held(scope, &hold, name).map(|start| start.row)
}

/// Starts a session that is held already.
pub(crate) fn held(scope: &Scope, hold: &Hold, name: &SessionName) -> Result<Start, Error> {
    let mut record = scope.settle(hold, name)?;
    let definition = scope.definitions().resolve(name, record.as_ref())?;
    match may_spawn(scope, name, record.as_ref()) {
        Go::Already(mut record, pid) => {
            scope.follow(&mut record, Some(pid));
            let settled = record.phase == Some(Phase::Running) && record.status == RecordStatus::Running;
            if !settled && !record.of_another_program() {
                record.phase = Some(Phase::Running);
                record.status = RecordStatus::Running;
                scope.registry.write(&record)?;
            }
            Ok(sure(scope.row_after(name, Outcome::AlreadyRunning, "")))
        }
        Go::No(reason) => Ok(sure(failed(scope, name, &definition.harness, &reason))),
        Go::Spawn => {
            if let Some(record) = &mut record {
                scope.follow(record, None);
            }
            match Plan::make(scope, &definition, record.as_ref()) {
                Ok(plan) => spawn(scope, &plan, record),
                Err(reason) => Ok(sure(failed(scope, name, &definition.harness, &reason))),
            }
        }
    }
}

/// What a start would spawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prospect {
    /// Whether it would go on with the recorded conversation.
    pub(super) resumes: bool,
    pub(super) note: Option<String>,
}

/// Works out what a start would spawn, or why it could not, and spawns nothing.
pub(super) fn prospect(scope: &Scope, definition: &Definition, record: Option<&Record>) -> Result<Prospect, String> {
    let plan = Plan::make(scope, definition, record)?;
    Ok(Prospect { resumes: plan.resumable(record).is_some(), note: plan.note })
}

fn sure(row: Row) -> Start {
    Start { row, unsure: false }
}

/// Whether something may be spawned under a name.
enum Go {
    Spawn,
    /// Its harness lives, as that process.
    Already(Box<Record>, u32),
    No(String),
}

fn may_spawn(scope: &Scope, name: &SessionName, record: Option<&Record>) -> Go {
    let condition = condition(scope, name, record);
    let condition = match condition {
        // Nothing runs in it: it makes room.
        Condition::Dead(pane) => match scope.tmux.clear_dead(name, &pane).into_result() {
            Ok(()) => self::condition(scope, name, record),
            Err(silence) => Condition::Silent(silence),
        },
        other => other,
    };
    match (condition, record) {
        (Condition::Gone, _) => Go::Spawn,
        (Condition::Live(pane), Some(record)) => Go::Already(Box::new(record.clone()), pane.pid),
        (Condition::Silent(silence), _) => Go::No(format!("tmux did not answer ({}): nothing was spawned", silence.0)),
        (Condition::Live(_) | Condition::Foreign(_), _) => Go::No(format!(
            "a live tmux session that the-loop did not start holds the name ({}): nothing was spawned; look at it with {}",
            if record.is_none() { "there is no record of it" } else { "it is not the one in the record" },
            attach(name)
        )),
        (Condition::Dead(pane), _) => Go::No(format!(
            "the tmux session is still there though {}: nothing was spawned; look at it with {}",
            how_it_ended(&pane),
            attach(name)
        )),
        (Condition::Deserted { .. }, _) => Go::No(format!(
            "its harness is gone, and other panes of its tmux session are open: nothing was spawned; look at them with \
             {}, or close them with `the-loop standing stop {name}`",
            attach(name)
        )),
        (Condition::Orphaned, record) => Go::No(orphaned(name, record)),
    }
}

fn orphaned(name: &SessionName, record: Option<&Record>) -> String {
    let pid = record.and_then(|record| record.process.as_ref()).map_or(0, |process| process.pid);
    let server = record.map_or(0, |record| record.server_pid);
    let remedy = if server > 0 && crate::process::command_name(server).starts_with("tmux") {
        format!("if tmux's socket was deleted, `kill -USR1 {server}` makes it anew; ")
    } else {
        String::new()
    };
    format!(
        "its harness (pid {pid}) is alive, and its tmux session cannot be seen: nothing was spawned beside it; {remedy}\
         `the-loop standing stop {name}` ends it"
    )
}

fn condition(scope: &Scope, name: &SessionName, record: Option<&Record>) -> Condition {
    match record {
        Some(record) => scope.condition(record),
        None => Scope::judge(name, &crate::registry::Entry::Vacant, scope.look().as_ref()).condition,
    }
}

/// Resumes, falls back to a fresh conversation, and records what came of it.
fn spawn(scope: &Scope, plan: &Plan<'_>, before: Option<Record>) -> Result<Start, Error> {
    let name = &plan.definition.name;
    trust(scope, plan);
    let mut notes = Vec::new();
    let mut record = plan.record(before.as_ref());
    if let Some(id) = plan.resumable(before.as_ref()) {
        match attempt::make(scope, plan, &mut record, &Conversation::Resumed(id.clone()))? {
            Attempt::Lives => return Ok(succeeded(scope, plan, record, Outcome::Resumed, &notes)),
            Attempt::Unsure(reason) => return Ok(unsure(scope, plan, &reason)),
            Attempt::Refused(reason) => return give_up(scope, plan, before, &reason),
            Attempt::Died(reason) => {
                scope.emit(
                    Event::new(Level::Warning, "standing.resume_failed")
                        .with("standing", name.as_str())
                        .with("harness_session_id", id.as_str())
                        .with("error", reason.as_str()),
                );
                notes.push(format!("conversation {id} could not be resumed ({reason}), a fresh one was begun"));
            }
        }
    }
    let id = match plan.new_id(scope) {
        Ok(id) => id,
        Err(reason) => return give_up(scope, plan, before, &reason),
    };
    match attempt::make(scope, plan, &mut record, &Conversation::Fresh(id))? {
        Attempt::Lives => Ok(succeeded(scope, plan, record, Outcome::Started, &notes)),
        Attempt::Unsure(reason) => Ok(unsure(scope, plan, &reason)),
        Attempt::Died(reason) | Attempt::Refused(reason) => give_up(scope, plan, before, &reason),
    }
}

/// A failure is told of and never keeps the session from starting.
fn trust(scope: &Scope, plan: &Plan<'_>) {
    let place = Place { surroundings: &scope.surroundings, cwd: &plan.cwd };
    let settings = scope.settings().routing.harness_trust;
    if let Err(error) = plan.adapter.trust(&place, &plan.definition.harness_args, settings) {
        scope.emit(
            Event::new(Level::Warning, "workspace.trust_failed")
                .with("standing", plan.definition.name.as_str())
                .with("harness", plan.definition.harness.as_str())
                .with("cwd", plan.cwd.display().to_string())
                .with("error", error),
        );
    }
}

fn succeeded(scope: &Scope, plan: &Plan<'_>, mut record: Record, outcome: Outcome, notes: &[String]) -> Start {
    let pending = std::mem::take(&mut record.pending_session_id);
    if outcome == Outcome::Started {
        let former = std::mem::replace(&mut record.harness_session_id, pending);
        record.remember_former(&former);
    }
    record.phase = Some(Phase::Running);
    record.status = RecordStatus::Running;
    record.started_at = clock::now();
    let mut notes = notes.to_vec();
    notes.extend(plan.note.clone());
    if !scope.learn(plan.adapter.as_ref(), &mut record) {
        notes.push(
            "its harness has not told its conversation yet: it is recorded at the next message or stop".to_owned(),
        );
    }
    if let Err(error) = scope.registry.write(&record) {
        // The intent stands on disk: the next verb finds the pane by its id and records it.
        notes.push(format!("it runs, and its record could not be written ({error})"));
    }
    let event = if outcome == Outcome::Resumed { "standing.resumed" } else { "standing.started" };
    scope.emit(
        Event::info(event)
            .with("standing", record.name.as_str())
            .with("harness", record.harness.as_str())
            .with("harness_session_id", record.harness_session_id.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("cwd", record.cwd.as_str()),
    );
    sure(scope.row_after(&record.name, outcome, notes.join("; ")))
}

fn unsure(scope: &Scope, plan: &Plan<'_>, reason: &str) -> Start {
    let name = &plan.definition.name;
    let detail = format!("{reason}: the session may yet come to be; the next verb on `{name}` finds out");
    Start { row: failed(scope, name, &plan.definition.harness, &detail), unsure: true }
}

/// Nothing lives: what was true before the start is true again.
fn give_up(scope: &Scope, plan: &Plan<'_>, before: Option<Record>, reason: &str) -> Result<Start, Error> {
    let name = &plan.definition.name;
    match before {
        None => scope.registry.remove(name)?,
        Some(mut record) => {
            record.phase = Some(if record.phase == Some(Phase::Created) { Phase::Created } else { Phase::Stopped });
            record.status = RecordStatus::Stopped;
            record.process = None;
            scope.registry.write(&record)?;
        }
    }
    Ok(sure(failed(scope, name, &plan.definition.harness, reason)))
}

fn failed(scope: &Scope, name: &SessionName, harness: &str, reason: &str) -> Row {
    scope.emit(
        Event::error("standing.spawn_failed")
            .with("standing", name.as_str())
            .with("harness", harness)
            .with("tmux_target", name.tmux_session())
            .with("error", reason),
    );
    scope.row_after(name, Outcome::Failed, reason)
}
