//! stop: ends the harness gracefully, then its tmux session. The record and its conversation are kept.
//!
//! Order matters: SIGTERM, the grace period, SIGKILL, all other processes with the session's id, and only then the
//! tmux session. A harness writes its conversation as it exits, and an incomplete conversation cannot be resumed.

mod cut;
mod signal;

use tmux::{Answer, Closed, KillAnswer, Pane};
use wire::{Outcome, Remedy, Row, SessionName};

use super::{Context, detail::Detail};
use crate::{
    Error,
    events::Event,
    process::ProcessHold,
    registry::{Entry, Hold, Phase, Record, RecordStatus},
    state::{Condition, replaced},
};
use cut::Cut;
use signal::{Ended, end, sweep};

/// Result of a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) outcome: Outcome,
    pub(crate) detail: Detail,
    /// True if there was no record to stop by.
    without_record: bool,
}

impl Stop {
    fn new(outcome: Outcome, detail: impl Into<Detail>) -> Self {
        Self { outcome, detail: detail.into(), without_record: false }
    }

    fn of_no_record(outcome: Outcome, detail: impl Into<Detail>) -> Self {
        Self { without_record: true, ..Self::new(outcome, detail) }
    }

    /// True if a start may follow. If there was no record, the start itself finds what is in its way.
    pub(crate) fn may_start(&self) -> bool {
        self.done() || self.without_record
    }

    /// True if no process of the session is running any more.
    pub(crate) fn done(&self) -> bool {
        self.outcome.is_ok()
    }
}

/// Stops one session. It uses only the registry, and works with an invalid config or a full disk.
pub(crate) fn stop(context: &Context, name: &SessionName) -> Result<Row, Error> {
    if let Entry::Vacant = context.registry.read(name) {
        if context.unrecorded(name).is_none() {
            context.definitions().resolve(name, None)?;
        }
        let stop = without_record(context, name);
        return Ok(context.row_after(name, stop.outcome, stop.detail));
    }
    let hold = match context.hold(name, "stop") {
        Err(Error::Storage { .. }) => context.registry.hold_without_writing(name, context.lock_wait())?,
        other => Some(other?),
    };
    let Some(hold) = hold else { return Err(Error::Unknown { name: name.clone() }) };
    let stop = held(context, &hold, name);
    Ok(context.row_after(name, stop.outcome, stop.detail))
}

/// Stops a session that is already locked.
pub(crate) fn held(context: &Context, hold: &Hold, name: &SessionName) -> Stop {
    match context.read_held(hold, name) {
        Ok(None) => without_record(context, name),
        Err(Error::BadRecord { reason, .. }) => unreadable(context, name, &reason),
        Err(error) => Stop::new(Outcome::Failed, &error),
        Ok(Some(record)) => {
            // An interrupted delete continues as a delete.
            let phase = if record.phase == Some(Phase::Deleting) { Phase::Deleting } else { Phase::Stopping };
            let record = if record.phase == Some(Phase::Starting) {
                context.settle_start(record.clone()).unwrap_or(record)
            } else {
                record
            };
            finish(context, hold, record, phase)
        }
    }
}

/// Stops the session of a record, with `phase` as the recorded intent.
pub(crate) fn finish(context: &Context, _hold: &Hold, mut record: Record, phase: Phase) -> Stop {
    if record.phase == Some(Phase::Starting) {
        // A launch that no pane has read yet must not be read after the stop.
        crate::launcher::revoke(&context.registry.launch_dir().join(format!("{}.json", record.loop_id)));
    }
    let condition = context.condition(&record);
    if let Condition::Silent(silence) = condition {
        let detail = format!("tmux did not answer ({}): no signal was sent and the record is unchanged", silence.0);
        emit_failed(context, &record, &detail);
        return Stop::new(Outcome::Failed, detail);
    }
    context.follow(&mut record, condition.live().map(|pane| pane.pid));
    context.follow_ended(&mut record, condition.shown());
    let cut = condition.live().map(|pane| Cut::look(context, &record, pane)).unwrap_or_default();
    files::failpoint::at("stop.begun");
    let mut notes: Vec<Detail> = Vec::new();
    // The intent precedes the action. A full disk must not prevent the stop of an agent.
    record.phase = Some(phase);
    if let Err(error) = context.registry.write(&record) {
        notes.push(format!("could not write the record ({error})").into());
    }
    files::failpoint::at("stop.intended");
    let replaced = matches!(condition, Condition::Replaced(_));
    let stop = act(context, &record, condition);
    files::failpoint::at("stop.closed");
    if stop.done() {
        // The record keeps the old process, so that the program now in the pane is still recognised as another one.
        if !replaced {
            record.process = None;
        }
        conclude(context, &mut record, phase, &stop, &cut, &mut notes);
    } else {
        emit_failed(context, &record, &stop.detail.text());
    }
    let detail = Detail::of(std::iter::once(stop.detail).chain(notes));
    Stop { detail, ..stop }
}

fn conclude(context: &Context, record: &mut Record, phase: Phase, stop: &Stop, cut: &Cut, notes: &mut Vec<Detail>) {
    if record.status == RecordStatus::Running || stop.outcome == Outcome::Stopped {
        record.stopped_at = crate::clock::now();
    }
    record.status = RecordStatus::Stopped;
    context.resolve_pending(record);
    // A delete stays in its phase until its record is gone.
    record.phase = Some(if phase == Phase::Deleting { Phase::Deleting } else { Phase::Stopped });
    if let Err(error) = context.registry.write(record)
        && notes.is_empty()
    {
        notes.push(format!("could not write the record ({error})").into());
    }
    files::failpoint::at("stop.recorded");
    if stop.outcome == Outcome::Stopped {
        notes.push(cut.note().into());
        let event = Event::info("standing.stopped")
            .with("standing", record.name.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("detail", stop.detail.text());
        context.emit(cut.note_in(event));
    }
}

fn act(context: &Context, record: &Record, condition: Condition) -> Stop {
    let grace = context.settings().routing.tmux.kill_grace;
    match condition {
        Condition::Silent(silence) => Stop::new(Outcome::Failed, silence.0),
        Condition::Live(pane) => match ours(context, record, &pane) {
            Ok(Some(harness)) => close(context, record, &pane, &end(&harness, &record.loop_id, grace)),
            Ok(None) => close(context, record, &pane, &sweep(&record.loop_id, grace)),
            Err(reason) => Stop::new(Outcome::Failed, reason),
        },
        Condition::Dead(pane) if pane.session_loop_id == record.loop_id => {
            let ended = sweep(&record.loop_id, grace);
            let how = format!("{}; its pane was closed", context.how_it_ended(&pane));
            let stop = close(context, record, &pane, &ended);
            if stop.done() { Stop::new(Outcome::NotRunning, Detail::from(how).and(stop.detail)) } else { stop }
        }
        Condition::Deserted { .. } => {
            let ended = sweep(&record.loop_id, grace);
            close(context, record, &Pane { session_loop_id: record.loop_id.clone(), ..Pane::default() }, &ended)
        }
        Condition::Orphaned => {
            let stop = match record.process.as_ref().and_then(process::ProcessIdentity::hold) {
                Some(harness) => finished(Outcome::Stopped, &end(&harness, &record.loop_id, grace)),
                None => finished(Outcome::NotRunning, &sweep(&record.loop_id, grace)),
            };
            clear_elsewhere(context, record, &stop);
            stop
        }
        Condition::Replaced(pane) => left_alone(context, record, &replaced(&pane)),
        Condition::Foreign(_) | Condition::Unrecorded(_) => {
            left_alone(context, record, "a tmux session that is not managed by the-loop has its name")
        }
        Condition::Dead(_) | Condition::Gone => {
            let ended = sweep(&record.loop_id, grace);
            let outcome = if ended.signalled.is_empty() { Outcome::NotRunning } else { Outcome::Stopped };
            let stop = finished(outcome, &ended);
            clear_elsewhere(context, record, &stop);
            stop
        }
    }
}

/// Closes the retained pane of a renamed session: a session that ran and is not visible under its name may have been
/// renamed, and its pane would stay for good.
fn clear_elsewhere(context: &Context, record: &Record, stop: &Stop) {
    if stop.done() && record.status == RecordStatus::Running && !record.loop_id.is_empty() {
        context.tmux.clear_elsewhere(&record.loop_id);
        // The server may be the one of another `routing.tmux.socket`.
        if let Some(server) = record.server.as_ref().filter(|server| server.process.is_alive()) {
            context.tmux.behind(&server.socket).clear_elsewhere(&record.loop_id);
        }
    }
}

/// Leaves an unmanaged tmux session untouched, and ends the leftover processes of the harness.
fn left_alone(context: &Context, record: &Record, what: &str) -> Stop {
    let ended = sweep(&record.loop_id, context.settings().routing.tmux.kill_grace);
    let left = Detail::new(format!("{what} and was not touched"), [context.look_at(&record.name)]);
    let outcome = if ended.left.is_empty() { Outcome::NotRunning } else { Outcome::Failed };
    Stop::new(outcome, left.and(ended.report()))
}

/// Returns the process in the session's pane, if the-loop started it. A pane that an operator respawned runs another
/// program.
fn ours(context: &Context, record: &Record, pane: &Pane) -> Result<Option<ProcessHold>, Detail> {
    let Some(held) = ProcessHold::of(pane.pid) else { return Ok(None) };
    let known = record.process.as_ref() == Some(&held.identity) || record.process.is_none();
    if known || held.carries(&record.loop_id) {
        return Ok(Some(held));
    }
    let cause = format!(
        "the pane runs `{}` (pid {}), which the-loop did not start: no signal was sent",
        process::command_name(pane.pid),
        pane.pid
    );
    Err(Detail::new(cause, [context.look_at(&record.name)]))
}

/// Closes the tmux session of a harness that has exited.
fn close(context: &Context, record: &Record, pane: &Pane, ended: &Ended) -> Stop {
    if !ended.left.is_empty() {
        return Stop::new(Outcome::Failed, ended.report());
    }
    files::failpoint::at("stop.ended");
    match context.tmux.kill(&record.name, &pane.session_loop_id) {
        Answer::Said(KillAnswer::Gone(closed)) => {
            let others = closed.iter().filter(|closed| closed.id != pane.id).filter_map(Closed::told);
            let others = others.collect::<Vec<_>>().join(", ");
            let stopped = finished(Outcome::Stopped, ended);
            if others.is_empty() {
                stopped
            } else {
                stopped.but(&format!("also closed other panes of its tmux session: {others}"))
            }
        }
        Answer::Silent(silence) => Stop::new(
            Outcome::Failed,
            Detail::from(ended.report()).and(Detail::new(
                format!("tmux did not answer when closing the session ({})", silence.0),
                [Remedy::Stop { name: record.name.clone() }],
            )),
        ),
        Answer::Said(KillAnswer::NotOurs) => match context.condition(record) {
            Condition::Gone | Condition::Orphaned => finished(Outcome::Stopped, ended),
            _ => finished(Outcome::Stopped, ended).but("another tmux session has its name now and was not touched"),
        },
    }
}

impl Stop {
    fn but(mut self, note: &str) -> Self {
        self.detail = self.detail.and(note);
        self
    }
}

fn finished(outcome: Outcome, ended: &Ended) -> Stop {
    if ended.left.is_empty() { Stop::new(outcome, ended.report()) } else { Stop::new(Outcome::Failed, ended.report()) }
}

/// Reports on a name without a record. No process is signalled.
pub(super) fn without_record(context: &Context, name: &SessionName) -> Stop {
    let panes = match context.look() {
        Ok(panes) => panes,
        Err(silence) => {
            return Stop::new(Outcome::Failed, format!("tmux did not answer ({}): no signal was sent", silence.0));
        }
    };
    let mut live = panes.of(name).iter().filter(|pane| !pane.dead).peekable();
    if live.peek().is_some() {
        let look = context.look_at(name);
        let detail = if live.any(|pane| context.is_ours(pane)) {
            let restore = Remedy::Restore { name: name.clone() };
            Detail::new("not stopped: it is running, but its record is missing", [restore, look])
        } else {
            Detail::new("no record: the tmux session of that name is not managed by the-loop: not stopped", [look])
        };
        return Stop::of_no_record(Outcome::Failed, detail);
    }
    match context.processes_of(name) {
        processes if processes.is_empty() => Stop::of_no_record(Outcome::NotRunning, "no record: not started yet"),
        processes => Stop::new(
            Outcome::Failed,
            format!("no record and no tmux session, but still running: {}", signal::told(&processes)),
        ),
    }
}

/// Stops a session whose record could not be read, as far as the environment of its processes identifies them. The
/// record is not overwritten.
fn unreadable(context: &Context, name: &SessionName, reason: &str) -> Stop {
    let note = format!(
        "{}: could not read the record ({reason}); it was not changed",
        context.registry.path_of(name).display()
    );
    let panes = match context.look() {
        Ok(panes) => panes,
        Err(silence) => {
            let silent = Detail::from(format!("tmux did not answer ({})", silence.0));
            return Stop::new(Outcome::Failed, silent.and(note));
        }
    };
    let proven = panes.of(name).iter().find(|pane| {
        let id = process::variable_of(pane.pid, process::LOOP_ID_VAR);
        let session = process::variable_of(pane.pid, crate::launcher::SESSION_VAR);
        !pane.dead
            && !pane.pane_loop_id.is_empty()
            && id.as_deref() == Some(&pane.pane_loop_id)
            && session.as_deref() == Some(name.as_str())
    });
    let mut stand_in = Record::new(name, String::new());
    let condition = match proven {
        Some(pane) => {
            stand_in.loop_id.clone_from(&pane.pane_loop_id);
            Condition::Live(pane.clone())
        }
        None if panes.of(name).iter().any(|pane| !pane.dead) => {
            let whose = Detail::new("could not determine who started the tmux session", [context.look_at(name)]);
            return Stop::new(Outcome::Failed, Detail::from(note).and(whose));
        }
        None => {
            stand_in.loop_id = context.id_of_processes(name).unwrap_or_default();
            Condition::Gone
        }
    };
    let stop = act(context, &stand_in, condition);
    if stop.outcome == Outcome::NotRunning {
        return stop.but(&note);
    }
    let event = if stop.done() { "standing.stopped" } else { "standing.stop_failed" };
    context.emit(Event::info(event).with("standing", name.as_str()).with("tmux_target", name.tmux_session()));
    stop.but(&note)
}

fn emit_failed(context: &Context, record: &Record, detail: &str) {
    context.emit(
        Event::error("standing.stop_failed")
            .with("standing", record.name.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("error", detail),
    );
}

impl Context {
    /// Returns the remedy of a look at a session without typing into it.
    pub(crate) fn look_at(&self, name: &SessionName) -> Remedy {
        Remedy::Look { target: name.tmux_session(), socket: self.tmux.socket_name() }
    }
}

/// Ends the leftover processes of a session's former harness, before another one is started. Returns their number.
pub(super) fn sweep_leftovers(context: &Context, record: &Record) -> usize {
    sweep(&record.loop_id, context.settings().routing.tmux.kill_grace).count()
}
