//! status: every session, and whether those that a start starts by itself are running.

use wire::{ControlReport, State};

use super::{Context, list};
use crate::Error;

/// The sessions as they are. The report is ok unless one that starts by itself does not run; others do not decide.
pub(crate) fn status(context: &Context) -> Result<ControlReport, Error> {
    let sessions = list::list(context, None)?;
    let enabled = context.settings().standing_enabled;
    let ok = sessions.iter().all(|row| {
        let wanted = row.auto_start && (!row.declared || enabled);
        // Whether a record that is gone or cannot be read says so is not known; a start would fail on it.
        (row.running || !wanted) && !matches!(row.state, State::Unreadable | State::Unrecorded)
    });
    Ok(ControlReport { sessions, stopped: None, ok })
}
