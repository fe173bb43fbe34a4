//! Who may bring sessions into and out of existence: an operator, and no agent that runs inside a session. An agent that
//! could would end the one that supervises it.

use super::Scope;
use crate::{Caller, Error, caller::Inside};

/// Refuses a caller that runs inside a session. `doing` is what it asked for, as in "stop sessions".
pub(crate) fn permit(scope: &Scope, caller: Caller, doing: &'static str) -> Result<(), Error> {
    if scope.settings().agents_may_control {
        return Ok(());
    }
    match caller.inside(&scope.surroundings) {
        None => Ok(()),
        Some(Inside::NotKnown) => Err(Error::CallerGone { doing }),
        Some(Inside::Session(session)) => Err(Error::InsideSession { session, doing, config: scope.config_file() }),
    }
}
