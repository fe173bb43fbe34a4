//! list: every session that is declared or recorded, with one question to tmux whatever their number, and one more for
//! those whose title does not tell what they are at.

use std::collections::BTreeMap;

use wire::{Activity, Row, SessionName};

use super::{Scope, screen::last_lines};
use crate::{
    Error,
    harness::BUILT_IN,
    registry::{Entry, Record},
    state::Condition,
    tmux::{Pane, Panes, Silence},
};

/// Every session, sorted by name.
pub(crate) fn list(scope: &Scope) -> Result<Vec<Row>, Error> {
    let (entries, panes) = everything(scope)?;
    let judged: Vec<_> = entries.iter().map(|(name, entry)| scope.judge(name, entry, panes.as_ref())).collect();
    let mut rows: Vec<Row> =
        entries.iter().zip(&judged).map(|((name, entry), judged)| scope.row(name, entry, judged)).collect();
    let live = judged.iter().map(|judged| judged.condition.live());
    let unclear: Vec<_> = rows
        .iter_mut()
        .zip(entries.values())
        .zip(live)
        .filter_map(|((row, entry), pane)| Some((row, entry.record(), pane?)))
        .filter(|(row, _, _)| is_unclear(scope, row))
        .collect();
    read_screens(scope, unclear);
    Ok(rows)
}

/// Whether a title leaves open what a session is doing, or what it asks: then its screen is worth a look. What another
/// program shows is not read.
fn is_unclear(scope: &Scope, row: &Row) -> bool {
    let custom = scope.settings().routing.harnesses.get(&row.harness);
    let known = custom.map_or_else(|| BUILT_IN.contains(&row.harness.as_str()), |custom| custom.like.is_some());
    known && matches!(row.activity, Activity::Unknown | Activity::Waiting)
}

/// Puts into rows what their screens say, with few questions to tmux whatever their number.
fn read_screens(scope: &Scope, unclear: Vec<(&mut Row, Option<&Record>, &Pane)>) {
    if unclear.is_empty() {
        return;
    }
    let panes: Vec<&Pane> = unclear.iter().map(|(_, _, pane)| *pane).collect();
    let screens = scope.tmux.capture_all(&panes).into_result().unwrap_or_default();
    for ((row, record, pane), screen) in unclear.into_iter().zip(screens) {
        let told = row.clone();
        scope.read_screen(row, record, pane, &screen.unwrap_or_default());
        // A screen that is not understood says less than the title did.
        if row.activity == Activity::Unknown {
            *row = told;
        }
    }
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
