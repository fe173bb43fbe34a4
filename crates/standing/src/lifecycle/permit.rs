//! Permission to control sessions: operators have it, agents that run inside a session do not. Otherwise an agent
//! could end the agent that supervises it.

use super::Context;
use crate::{Caller, Error, caller::Inside};

/// Refuses a caller that runs inside a session. `doing` is the requested action, as in "stop sessions".
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
