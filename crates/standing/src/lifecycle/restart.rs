//! restart: stop, then start, with the session held from the first to the last.

use wire::{ControlReport, SessionName};

use super::{Scope, start, stop};
use crate::Error;

/// Restarts one session. It is not started if it could not be stopped.
pub(crate) fn restart(scope: &Scope, name: &SessionName) -> Result<ControlReport, Error> {
    let record = scope.registry.read_whole(name)?;
    if record.is_none() {
        scope.resolve_vacant(name)?;
    }
    scope.registry.prepare()?;
    let hold = scope.hold(name, "restart")?;
    let stopped = stop::held(scope, &hold, name);
    files::failpoint::at("restart.stopped");
    let stopped_row = scope.row_after(name, stopped.outcome, stopped.detail.clone());
    let row = if stopped.may_start() { start::held(scope, &hold, name)?.row } else { stopped_row.clone() };
    let mut report = ControlReport::of(vec![row]);
    report.stopped = Some(vec![stopped_row]);
    Ok(report)
}
