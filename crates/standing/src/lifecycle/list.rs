//! list: every session that is declared or recorded, with one question to tmux whatever their number.

use std::collections::BTreeMap;

use wire::{Row, SessionName};

use super::{Scope, screen::last_lines};
use crate::{
    Error,
    registry::Entry,
    state::Condition,
    tmux::{Pane, Panes, Silence},
};

/// Every session, sorted by name.
pub(crate) fn list(scope: &Scope) -> Result<Vec<Row>, Error> {
    let (entries, panes) = everything(scope)?;
    let row = |(name, entry): (&SessionName, &Entry)| scope.row(name, entry, &scope.judge(name, entry, panes.as_ref()));
    Ok(entries.iter().map(row).collect())
}

/// Every session with the last `lines` lines of its pane, its activity read from the whole screen: for a page that
/// shows what each of them is at.
pub(crate) fn survey(scope: &Scope, lines: usize) -> Result<Vec<(Row, String)>, Error> {
    let (entries, panes) = everything(scope)?;
    let judged: Vec<_> = entries.iter().map(|(name, entry)| scope.judge(name, entry, panes.as_ref())).collect();
    let shown: Vec<Option<&Pane>> = judged.iter().map(|judged| judged.condition.shown()).collect();
    let wanted: Vec<&Pane> = shown.iter().flatten().copied().collect();
    // A screen that cannot be had leaves its row without one: the row's own state tells of a silent tmux.
    let mut screens = scope.tmux.capture_all(&wanted).into_result().unwrap_or_default().into_iter();
    let rows = entries.iter().zip(&judged).zip(&shown).map(|(((name, entry), judged), pane)| {
        let mut row = scope.row(name, entry, judged);
        let screen = pane.and_then(|_| screens.next().flatten()).unwrap_or_default();
        if let Condition::Live(pane) = &judged.condition {
            scope.read_screen(&mut row, entry.record(), pane, &screen);
        }
        (row, last_lines(&screen, lines))
    });
    Ok(rows.collect())
}

/// A look at tmux, if it answered.
type Look = Result<Panes, Silence>;

/// Every name that is declared, recorded or has a live session of ours, with its entry, and a look at tmux.
pub(crate) fn everything(scope: &Scope) -> Result<(BTreeMap<SessionName, Entry>, Look), Error> {
    let mut entries = every_name(scope)?;
    let panes = scope.look();
    if let Ok(panes) = &panes {
        scope.add_unrecorded(&mut entries, panes);
    }
    Ok((entries, panes))
}

/// Every name that is declared or recorded, with its entry.
pub(crate) fn every_name(scope: &Scope) -> Result<BTreeMap<SessionName, Entry>, Error> {
    let mut entries = scope.registry.all()?;
    for declaration in &scope.settings().sessions {
        entries.entry(declaration.name.clone()).or_insert(Entry::Vacant);
    }
    Ok(entries)
}
