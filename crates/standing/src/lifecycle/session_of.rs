//! `session_of`: the session that a process belongs to.

use wire::SessionName;

use super::Context;
use crate::{
    launcher::{ROOT_VAR, SESSION_VAR},
    process::{LOOP_ID_VAR, variable_of},
};

/// Returns the session that a process belongs to, as its harness or a descendant of it. The environment of the
/// process names the session, and the record must agree: another instance of the-loop may have a session of the same
/// name.
pub(crate) fn session_of(context: &Context, pid: u32) -> Option<SessionName> {
    let id = variable_of(pid, LOOP_ID_VAR).filter(|id| !id.is_empty())?;
    let name = SessionName::parse(&variable_of(pid, SESSION_VAR)?).ok()?;
    // The mark of the state folder counts as well, for a record that was lost or rewritten.
    let marked = variable_of(pid, ROOT_VAR).is_some_and(|mark| mark == context.mark);
    let ours = marked || context.registry.read(&name).record().is_some_and(|record| record.loop_id == id);
    ours.then_some(name)
}
