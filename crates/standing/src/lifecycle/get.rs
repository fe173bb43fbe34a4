//! get: one session, and the Slack thread in which it is answered.

use wire::{Row, SessionName};

use super::Context;
use crate::{Error, registry::Entry, state::Condition};

/// Returns one session as it is now.
pub(crate) fn get(context: &Context, name: &SessionName) -> Result<Row, Error> {
    let entry = context.registry.read(name);
    if matches!(entry, Entry::Vacant)
        && context.definitions().declaration(name).is_none()
        && context.unrecorded(name).is_none()
    {
        return Err(Error::Unknown { name: name.clone() });
    }
    let panes = context.look();
    let judged = context.judge(name, &entry, panes.as_ref());
    let mut row = context.row(name, &entry, &judged);
    if let Some(record) = entry.record()
        && let Some(id) = context.seen_in(record, &judged.condition, true)
    {
        row.harness_session_id = id;
    }
    if let Condition::Live(pane) = &judged.condition {
        let screen = context.tmux.capture(pane).into_result().ok().flatten().unwrap_or_default();
        context.read_screen(&mut row, entry.record(), pane, &screen);
    }
    Ok(row)
}

/// Binds a session to a Slack thread, unless it is already bound. A bound session keeps its thread until it is deleted. The row says which thread it is bound to.
pub(crate) fn bind_thread(context: &Context, name: &SessionName, channel: &str, thread: &str) -> Result<Row, Error> {
    let hold = context.hold(name, "bind_thread")?;
    let Some(mut record) = context.recover(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    if record.slack_thread.is_empty() {
        channel.clone_into(&mut record.slack_channel);
        thread.clone_into(&mut record.slack_thread);
        context.registry.write(&record)?;
    }
    drop(hold);
    get(context, name)
}
