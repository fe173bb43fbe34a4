//! Who may bring sessions into and out of existence: an operator, and no agent that runs inside a session. An agent that
//! could would end the one that supervises it.

use super::Context;
use crate::{Caller, Error, caller::Inside};

/// Refuses a caller that runs inside a session. `doing` is what it asked for, as in "stop sessions".
pub(crate) fn permit(context: &Context, caller: Caller, doing: &'static str) -> Result<(), Error> {
    if context.settings().agents_may_control {
        return Ok(());
    }
    match caller.inside(&context.surroundings) {
        None => Ok(()),
        Some(Inside::NotKnown) => Err(Error::CallerGone { doing }),
        Some(Inside::Session(session)) => Err(Error::InsideSession { session, doing, config: context.config_file() }),
    }
}
