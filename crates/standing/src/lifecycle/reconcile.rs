//! reconcile: finishes operations that a crash interrupted, for every session, before a verb needs it.

use wire::{SessionName, State};

use super::{
    Context,
    control::{AT_ONCE, side_by_side},
};
use crate::{
    Error,
    registry::{Entry, Phase},
};

/// Session with an interrupted operation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// Name of the session.
    pub name: SessionName,
    /// Phase that had begun: `starting`, `stopping` or `deleting`.
    pub begun: &'static str,
    /// Current state, or the reason why it could not be recovered.
    pub now: Result<State, Error>,
}

/// Recovers every record with an unfinished phase. The others need nothing: their state is determined on demand.
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

/// Recovers one session. Another verb may have recovered it before the lock was free; then there is nothing to do.
fn recover(context: &Context, name: &SessionName) -> Result<State, Error> {
    let hold = context.hold(name, "reconcile")?;
    context.recover(&hold, name)?;
    let entry = context.registry.read(name);
    Ok(context.judge(name, &entry, context.look().as_ref()).word)
}
