//! get: one session.

use wire::{Row, SessionName};

use super::Scope;
use crate::{Error, registry::Entry, state::Condition};

/// One session, as it is now.
pub(crate) fn get(scope: &Scope, name: &SessionName) -> Result<Row, Error> {
    let entry = scope.registry.read(name);
    if matches!(entry, Entry::Vacant)
        && scope.definitions().declaration(name).is_none()
        && scope.unrecorded(name).is_none()
    {
        return Err(Error::Unknown { name: name.clone() });
    }
    let panes = scope.look();
    let judged = scope.judge(name, &entry, panes.as_ref());
    let mut row = scope.row(name, &entry, &judged);
    if let Some(record) = entry.record()
        && let Some(id) = scope.seen_in(record, &judged.condition, true)
    {
        row.harness_session_id = id;
    }
    if let Condition::Live(pane) = &judged.condition {
        let screen = scope.tmux.capture(pane).into_result().ok().flatten().unwrap_or_default();
        scope.read_screen(&mut row, entry.record(), pane, &screen);
    }
    Ok(row)
}
