//! `bind_thread`: records the Slack thread in which a session is answered. A bound session keeps its thread until it
//! is deleted.

use wire::{Row, SessionName};

use super::Context;
use crate::Error;

/// Binds a session to a thread, unless it is already bound. The row says which thread it is bound to.
pub(crate) fn bind_thread(context: &Context, name: &SessionName, channel: &str, thread: &str) -> Result<Row, Error> {
    let hold = context.hold(name, "bind_thread")?;
    let Some(mut record) = context.recover(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    if record.slack_thread.is_empty() {
        channel.clone_into(&mut record.slack_channel);
        thread.clone_into(&mut record.slack_thread);
        context.registry.write(&record)?;
    }
    drop(hold);
    super::get::get(context, name)
}
