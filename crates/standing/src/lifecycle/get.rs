//! get: one session.

use wire::{Row, SessionName};

use super::Scope;
use crate::{Error, registry::Entry};

/// One session, as it is now.
pub(crate) fn get(scope: &Scope, name: &SessionName) -> Result<Row, Error> {
    let entry = scope.registry.read(name);
    if matches!(entry, Entry::Vacant) {
        scope.definitions().resolve(name, None)?;
    }
    let panes = scope.look();
    Ok(scope.row(name, &entry, &Scope::judge(name, &entry, panes.as_ref())))
}
