//! restore: rebuilds the record of a running session that lost it, from its marks and its process.

use wire::{ControlReport, Outcome, SessionName};

use super::Context;
use crate::{Error, events::Event, registry::Entry};

/// Writes the record of an unrecorded session. A session that has a record keeps it.
pub(crate) fn restore(context: &Context, name: &SessionName) -> Result<ControlReport, Error> {
    context.registry.prepare()?;
    let hold = context.hold(name, "restore")?;
    match context.registry.read(name) {
        Entry::Vacant => {}
        Entry::Unreadable(reason) => return Err(context.registry.bad(name, reason)),
        Entry::Recorded(_) => {
            context.recover(&hold, name)?;
            return Err(Error::InvalidRequest(format!("`{name}` already has a record: nothing was changed")));
        }
    }
    let panes = context.look()?;
    let Some(pane) = panes.of(name).iter().find(|pane| !pane.dead && context.is_ours(pane)) else {
        return Err(match context.definitions().resolve(name, None) {
            Ok(_) => Error::NotRunning { name: name.clone(), reason: "not started yet".to_owned() },
            Err(unknown) => unknown,
        });
    };
    let record = context.remembered(name, pane);
    context.registry.write(&record)?;
    context.emit(
        Event::info("standing.restored")
            .with("standing", name.as_str())
            .with("harness", record.harness.as_str())
            .with("harness_session_id", record.harness_session_id.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("cwd", record.cwd.as_str()),
    );
    let detail = if record.harness_session_id.is_empty() {
        "record restored; the conversation is not known yet".to_owned()
    } else {
        format!("record restored, with conversation {}", record.harness_session_id)
    };
    Ok(ControlReport::of(vec![context.row_after(name, Outcome::AlreadyRunning, detail)]))
}
