//! restart: stops, then starts a session, with the lock held throughout.

use wire::{ControlReport, SessionName};

use super::{Context, start, stop};
use crate::Error;

/// Restarts one session. If the stop fails, the session is not started.
pub(crate) fn restart(context: &Context, name: &SessionName) -> Result<ControlReport, Error> {
    let record = context.registry.read_whole(name)?;
    if record.is_none() {
        context.resolve_vacant(name)?;
    }
    context.registry.prepare()?;
    let hold = context.hold(name, "restart")?;
    let stopped = stop::held(context, &hold, name);
    files::failpoint::at("restart.stopped");
    let stopped_row = context.row_after(name, stopped.outcome, stopped.detail.clone());
    let row = if stopped.may_start() { start::held(context, &hold, name)?.row } else { stopped_row.clone() };
    let mut report = ControlReport::of(vec![row]);
    report.stopped = Some(vec![stopped_row]);
    Ok(report)
}
