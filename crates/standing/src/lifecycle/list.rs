//! list: every session that is declared or recorded, with one question to tmux whatever their number.

use std::collections::BTreeMap;

use wire::{Row, SessionName};

use super::Scope;
use crate::{Error, registry::Entry};

/// Every session, sorted by name.
pub(crate) fn list(scope: &Scope) -> Result<Vec<Row>, Error> {
    let entries = every_name(scope)?;
    // A config that names nothing and an empty registry need no tmux.
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let panes = scope.look();
    let row =
        |(name, entry): (&SessionName, &Entry)| scope.row(name, entry, &Scope::judge(name, entry, panes.as_ref()));
    Ok(entries.iter().map(row).collect())
}

/// Every name that is declared or recorded, with its entry.
pub(crate) fn every_name(scope: &Scope) -> Result<BTreeMap<SessionName, Entry>, Error> {
    let mut entries = scope.registry.all()?;
    for declaration in &scope.settings().sessions {
        entries.entry(declaration.name.clone()).or_insert(Entry::Vacant);
    }
    Ok(entries)
}
