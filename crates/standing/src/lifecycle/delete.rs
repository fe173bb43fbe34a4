//! delete: a stop, after which the record goes as well. Only for sessions that live by their record.

use wire::{ControlReport, Outcome, Row, SessionName, Status};

use super::{Scope, stop};
use crate::{
    Error,
    events::Event,
    registry::{Entry, Phase},
};

/// Deletes a created session.
pub(crate) fn delete(scope: &Scope, name: &SessionName) -> Result<ControlReport, Error> {
    if scope.definitions().declaration(name).is_some() {
        return Err(Error::Declared { name: name.clone(), config: scope.config_file() });
    }
    if let Entry::Vacant = scope.registry.read(name) {
        return Err(scope
            .unrecorded(name)
            .map_or(Error::Unknown { name: name.clone() }, |_| scope.is_unrecorded(name)));
    }
    let hold = scope.hold(name, "delete")?;
    // Whoever held it before may have deleted it.
    let Some(record) = scope.read_held(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    let before = scope.row_after(name, Outcome::Deleted, "");
    let phase_before = record.phase;
    let stopped = stop::finish(scope, &hold, record, Phase::Deleting);
    if !stopped.done() {
        // Nothing was signalled: the session goes on as if nobody had asked.
        if let Some(mut record) = scope.registry.read_whole(name)? {
            record.phase = phase_before;
            scope.registry.write(&record)?;
        }
        return Ok(ControlReport::of(vec![scope.row_after(name, Outcome::Failed, stopped.detail)]));
    }
    erase(scope, name).inspect_err(|_| {
        // Refused, and so not to be done by the next verb.
        if let Ok(Some(mut record)) = scope.registry.read_whole(name) {
            record.phase = Some(Phase::Stopped);
            let _ = scope.registry.write(&record);
        }
    })?;
    Ok(ControlReport::of(vec![deleted(before, stopped.detail)]))
}

/// Removes all that is kept of a session whose harness has ended. The record goes last: as long as it stands, the next
/// verb does this again.
pub(super) fn erase(scope: &Scope, name: &SessionName) -> Result<(), Error> {
    files::failpoint::at("delete.stopped");
    super::say::forget(scope, name);
    super::start::forget(scope, name);
    scope.registry.remove(name)?;
    files::failpoint::at("delete.removed");
    scope.emit(Event::info("standing.deleted").with("standing", name.as_str()));
    Ok(())
}

fn deleted(mut row: Row, detail: String) -> Row {
    row.status = Status::Absent;
    row.state = wire::State::Absent;
    row.running = false;
    row.pid = None;
    row.reason = String::new();
    row.activity = wire::Activity::Unknown;
    row.outcome = Some(Outcome::Deleted);
    row.detail = Some(detail);
    row
}
