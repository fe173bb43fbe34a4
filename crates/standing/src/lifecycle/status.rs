//! status: lists all sessions, and checks if all auto-start sessions are running.

use wire::{ControlReport, State};

use super::{Context, list};
use crate::Error;

/// Returns the sessions as they are. The report is ok unless an auto-start session is not running; other sessions do
/// not count.
pub(crate) fn status(context: &Context) -> Result<ControlReport, Error> {
    let sessions = list::list(context, None)?;
    let enabled = context.settings().standing_enabled;
    let ok = sessions.iter().all(|row| {
        let wanted = row.auto_start && (!row.declared || enabled);
        // A missing or unreadable record could be that of an auto-start session, and a start would fail on it.
        (row.running || !wanted) && !matches!(row.state, State::Unreadable | State::Unrecorded)
    });
    Ok(ControlReport { sessions, stopped: None, ok })
}
