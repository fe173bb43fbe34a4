//! reconcile: what a crash cut short is finished for every session, before anybody asks for it.

use wire::{SessionName, State};

use super::{
    Scope,
    control::{AT_ONCE, side_by_side},
};
use crate::{
    Error,
    registry::{Entry, Phase},
};

/// A session in which something was left half done.
#[derive(Debug)]
#[non_exhaustive]
pub struct Settled {
    /// Its name.
    pub name: SessionName,
    /// What had been begun: `starting`, `stopping` or `deleting`.
    pub begun: &'static str,
    /// What is true of it now, or why it could not be settled.
    pub now: Result<State, Error>,
}

/// Settles every record that says that something was begun. The others need nothing: what is true of a session is
/// looked at whenever it is asked for.
pub(crate) fn reconcile(scope: &Scope) -> Result<Vec<Settled>, Error> {
    let begun = |entry: &Entry| entry.record().and_then(|record| record.phase).filter(|phase| phase.is_unfinished());
    let unfinished: Vec<(SessionName, Phase)> =
        scope.registry.all()?.into_iter().filter_map(|(name, entry)| Some((name, begun(&entry)?))).collect();
    let names: Vec<SessionName> = unfinished.iter().map(|(name, _)| name.clone()).collect();
    let settled = side_by_side(&names, AT_ONCE, |name| settle(scope, name));
    Ok(unfinished
        .into_iter()
        .zip(settled)
        .map(|((name, phase), now)| Settled { name, begun: phase.as_str(), now })
        .collect())
}

/// Whoever held it meanwhile may have settled it: then there is nothing to do.
fn settle(scope: &Scope, name: &SessionName) -> Result<State, Error> {
    let hold = scope.hold(name, "reconcile")?;
    scope.settle(&hold, name)?;
    let entry = scope.registry.read(name);
    Ok(scope.judge(name, &entry, scope.look().as_ref()).word)
}
