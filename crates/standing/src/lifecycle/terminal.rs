//! terminal: the command that shows a running session in a terminal.

use tmux::Attach;
use wire::{Remedy, SessionName};

use super::{Context, say};
use crate::{Error, events::Event, registry::Entry};

/// Returns the command of a terminal that shows a running session. Without `write` it is read-only.
pub(crate) fn terminal(context: &Context, name: &SessionName, write: bool) -> Result<Attach, Error> {
    let entry = context.registry.read(name);
    if matches!(entry, Entry::Vacant) {
        context.resolve_vacant(name)?;
    }
    let pane = match entry.record() {
        Some(record) => say::speakable(context, record),
        None => Err(say::without_record(context, name)),
    };
    let closed = |reason, remedies| Error::NoTerminal { name: name.clone(), reason, remedies };
    let start = || vec![Remedy::Start { name: name.clone() }];
    let pane = pane.map_err(|error| match error {
        Error::NotRunning { reason, .. } => closed(reason, start()),
        Error::OutOfReach { reason, remedies, .. } => closed(reason, remedies),
        Error::Foreign { session, socket, .. } => Error::NotShown { session, socket },
        other => other,
    })?;
    context.tmux.attach(&pane, write).into_result()?.ok_or_else(|| closed("stopped".to_owned(), start()))
}

/// Writes an event for a terminal that was opened.
pub(crate) fn opened(context: &Context, name: &SessionName, write: bool) {
    context.emit(
        Event::info("standing.terminal_opened")
            .with("standing", name.as_str())
            .with("tmux_target", name.tmux_session())
            .with("mode", if write { "write" } else { "read" }),
    );
}
