//! reconcile: what a crash cut short is finished for every session, before anybody asks for it.

use wire::{SessionName, State};

use super::{
    Context,
    control::{AT_ONCE, side_by_side},
};
use crate::{
    Error,
    registry::{Entry, Phase},
};

/// A session in which something was left half done.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// Its name.
    pub name: SessionName,
    /// What had been begun: `starting`, `stopping` or `deleting`.
    pub begun: &'static str,
    /// What is true of it now, or why it could not be settled.
    pub now: Result<State, Error>,
}

/// Settles every record that says that something was begun. The others need nothing: what is true of a session is
/// looked at whenever it is asked for.
pub(crate) fn reconcile(context: &Context) -> Result<Vec<Recovered>, Error> {
    let begun = |entry: &Entry| entry.record().and_then(|record| record.phase).filter(|phase| phase.is_unfinished());
    let unfinished: Vec<(SessionName, Phase)> =
        context.registry.all()?.into_iter().filter_map(|(name, entry)| Some((name, begun(&entry)?))).collect();
    let names: Vec<SessionName> = unfinished.iter().map(|(name, _)| name.clone()).collect();
    let settled = side_by_side(&names, AT_ONCE, |name| recover(context, name));
    Ok(unfinished
        .into_iter()
        .zip(settled)
        .map(|((name, phase), now)| Recovered { name, begun: phase.as_str(), now })
        .collect())
}

/// Whoever held it meanwhile may have settled it: then there is nothing to do.
fn recover(context: &Context, name: &SessionName) -> Result<State, Error> {
    let hold = context.hold(name, "reconcile")?;
    context.recover(&hold, name)?;
    let entry = context.registry.read(name);
    Ok(context.judge(name, &entry, context.look().as_ref()).word)
}
