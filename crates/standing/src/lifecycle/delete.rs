//! delete: stops a session and removes its record. Only for sessions that are not declared.

use wire::{ControlReport, Outcome, Row, SessionName, Status};

use super::{Context, detail::Detail, stop};
use crate::{
    Error,
    events::Event,
    hook,
    registry::{Entry, Phase},
};

/// Deletes a created session.
pub(crate) fn delete(context: &Context, name: &SessionName) -> Result<ControlReport, Error> {
    if context.definitions().declaration(name).is_some() {
        return Err(Error::Declared { name: name.clone(), config: context.config_file() });
    }
    if let Entry::Vacant = context.registry.read(name) {
        return Err(context
            .unrecorded(name)
            .map_or(Error::Unknown { name: name.clone() }, |_| context.is_unrecorded(name)));
    }
    let hold = context.hold(name, "delete")?;
    // The previous holder of the lock may have deleted it.
    let Some(record) = context.read_held(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    let before = context.row_after(name, Outcome::Deleted, "");
    let phase_before = record.phase;
    let stopped = stop::finish(context, &hold, record, Phase::Deleting);
    if !stopped.done() {
        // Nothing was signalled: the session continues as before the call.
        if let Some(mut record) = context.registry.read_whole(name)? {
            record.phase = phase_before;
            context.registry.write(&record)?;
        }
        return Ok(ControlReport::of(vec![context.row_after(name, Outcome::Failed, stopped.detail)]));
    }
    erase(context, name).inspect_err(|_| {
        // The delete was refused, so the next verb must not finish it.
        if let Ok(Some(mut record)) = context.registry.read_whole(name) {
            record.phase = Some(Phase::Stopped);
            let _ = context.registry.write(&record);
        }
    })?;
    Ok(ControlReport::of(vec![deleted(before, stopped.detail)]))
}

/// Removes all files of a session whose harness has exited. The record is removed last: while it exists, the next
/// verb repeats the removal.
pub(super) fn erase(context: &Context, name: &SessionName) -> Result<(), Error> {
    files::failpoint::at("delete.stopped");
    super::say::forget(context, name);
    super::start::forget(context, name);
    if let Entry::Recorded(record) = context.registry.read(name) {
        hook::forget(&context.registry.hooks_dir(), &record.loop_id);
    }
    context.registry.remove(name)?;
    files::failpoint::at("delete.removed");
    context.emit(Event::info("standing.deleted").with("standing", name.as_str()));
    Ok(())
}

fn deleted(mut row: Row, detail: Detail) -> Row {
    row.status = Status::Absent;
    row.state = wire::State::Absent;
    row.running = false;
    row.pid = None;
    row.reason = String::new();
    row.activity = wire::Activity::Unknown;
    row.outcome = Some(Outcome::Deleted);
    row.detail = Some(detail.text());
    row.remedies = detail.remedies;
    row
}
