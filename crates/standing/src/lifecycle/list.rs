//! list: every session that is declared or recorded, with one question to tmux whatever their number, and one more for
//! those whose title does not tell what they are at.
//!
//! The records are read while tmux answers. A record and a pane that were seen at different moments may disagree only
//! because a verb changed both in between; so where they disagree, tmux is asked again, now that the record is read.

use std::{
    collections::BTreeMap,
    sync::Arc,
    thread::{self, JoinHandle},
};

use wire::{Activity, Row, SessionName};

use super::{
    Context,
    context::{Judged, secrets},
    screen::{last_line, last_lines},
};
use crate::{
    Error, Surroundings,
    config::{self, ConfigPath, Settings},
    harness::BUILT_IN,
    registry::{Entry, Record, RecordStatus},
    state::Condition,
    tmux::{Pane, Panes, Silence, Tmux},
};

/// Every session, sorted by name.
pub(crate) fn list(context: &Context, early: Option<EarlyLook>) -> Result<Vec<Row>, Error> {
    let Everything { entries, judged } = everything_after(context, early)?;
    let mut rows: Vec<Row> =
        entries.iter().zip(&judged).map(|((name, entry), judged)| context.row(name, entry, judged)).collect();
    let live = judged.iter().map(|judged| judged.condition.live());
    let unclear: Vec<_> = rows
        .iter_mut()
        .zip(entries.values())
        .zip(live)
        .filter_map(|((row, entry), pane)| Some((row, entry.record(), pane?)))
        .filter(|(row, _, _)| is_unclear(context, row))
        .collect();
    read_screens(context, unclear);
    Ok(rows)
}

/// Whether a title leaves open what a session is doing, or what it asks: then its screen is worth a look. What another
/// program shows is not read.
fn is_unclear(context: &Context, row: &Row) -> bool {
    let custom = context.settings().routing.harnesses.get(&row.harness);
    let known = custom.map_or_else(|| BUILT_IN.contains(&row.harness.as_str()), |custom| custom.like.is_some());
    known && matches!(row.activity, Activity::Unknown | Activity::Waiting)
}

/// Puts into rows what their screens say, with few questions to tmux whatever their number.
fn read_screens(context: &Context, unclear: Vec<(&mut Row, Option<&Record>, &Pane)>) {
    if unclear.is_empty() {
        return;
    }
    let panes: Vec<&Pane> = unclear.iter().map(|(_, _, pane)| *pane).collect();
    let screens = context.tmux.capture_all(&panes).into_result().unwrap_or_default();
    for ((row, record, pane), screen) in unclear.into_iter().zip(screens) {
        let told = row.clone();
        context.read_screen(row, record, pane, &screen.unwrap_or_default());
        // A screen that is not understood says less than the title did.
        if row.activity == Activity::Unknown {
            *row = Row { last_line: std::mem::take(&mut row.last_line), ..told };
        }
    }
}

/// Every session with the last `lines` lines of its pane, its activity read from the whole screen: for a page that
/// shows what each of them is at.
pub(crate) fn survey(context: &Context, lines: usize) -> Result<Vec<(Row, String)>, Error> {
    let Everything { entries, judged } = everything(context)?;
    let shown: Vec<Option<&Pane>> = judged.iter().map(|judged| judged.condition.shown()).collect();
    let wanted: Vec<&Pane> = shown.iter().flatten().copied().collect();
    // A screen that cannot be had leaves its row without one: the row's own state tells of a silent tmux.
    let mut screens = context.tmux.capture_all(&wanted).into_result().unwrap_or_default().into_iter();
    let rows = entries.iter().zip(&judged).zip(&shown).map(|(((name, entry), judged), pane)| {
        let mut row = context.row(name, entry, judged);
        let screen = pane.and_then(|_| screens.next().flatten()).unwrap_or_default();
        if let Condition::Live(pane) = &judged.condition {
            context.read_screen(&mut row, entry.record(), pane, &screen);
        }
        row.last_line = last_line(&screen);
        (row, last_lines(&screen, lines))
    });
    Ok(rows.collect())
}

/// Every session, and what is true of it.
pub(crate) struct Everything {
    /// Every name that is declared, recorded or has a live session of ours.
    pub(crate) entries: BTreeMap<SessionName, Entry>,
    /// The judgement of each, in the order of the names.
    pub(crate) judged: Vec<Judged>,
}

/// A look at tmux that is under way while the config is still being checked.
pub(crate) struct EarlyLook(JoinHandle<Option<(String, Result<Panes, Silence>)>>);

impl EarlyLook {
    /// Begins one; `None` where no thread can be had.
    pub(crate) fn begin(path: ConfigPath, surroundings: Arc<Surroundings>) -> Option<Self> {
        let look = move || {
            let socket = config::socket_as_written(&path)?;
            // What it asks changes nothing and starts no server, so that the socket alone matters.
            let mut settings = Settings::defaults(path.project_dir(), &surroundings);
            settings.routing.tmux.socket.clone_from(&socket);
            let tmux = Tmux::new(&settings.routing.tmux, &surroundings, &secrets(&settings));
            Some((socket, tmux.panes().into_result()))
        };
        thread::Builder::new().spawn(look).ok().map(Self)
    }

    /// Waits for its end, for a list that there will not be.
    pub(crate) fn end(self) {
        let _ = self.0.join();
    }

    /// What it saw, if it asked the server that the config turned out to mean.
    fn seen_on(self, socket: &str) -> Option<Result<Panes, Silence>> {
        let (asked, seen) = self.0.join().ok()??;
        (asked == socket).then_some(seen)
    }
}

/// A look at the panes, if tmux answered.
pub(crate) type Panorama = Result<Panes, Silence>;

/// Looks at every session once.
pub(crate) fn everything(context: &Context) -> Result<Everything, Error> {
    everything_after(context, None)
}

/// Looks at every session once, with what an early look saw.
fn everything_after(context: &Context, early: Option<EarlyLook>) -> Result<Everything, Error> {
    let socket = &context.settings().routing.tmux.socket;
    let first = || early.and_then(|early| early.seen_on(socket)).unwrap_or_else(|| context.look());
    everything_by(context, first, || context.look()).map(|(seen, _)| seen)
}

/// Looks at every session once. `first` looks at the panes while the records are read, `again` does so where the two
/// disagree. Gives back what was seen of the panes, too.
pub(crate) fn everything_by(
    context: &Context,
    first: impl FnOnce() -> Panorama + Send,
    again: impl Fn() -> Panorama,
) -> Result<(Everything, Panorama), Error> {
    let (entries, panes) = thread::scope(|threads| {
        let asked = thread::Builder::new().spawn_scoped(threads, first);
        let entries = every_name(context);
        // Where no thread can be had, one comes after the other.
        let panes = asked.ok().and_then(|asked| asked.join().ok()).unwrap_or_else(&again);
        (entries, panes)
    });
    let seen = judged(context, entries?, &panes);
    let disagree: Vec<SessionName> = seen
        .entries
        .iter()
        .zip(&seen.judged)
        .filter(|((_, entry), judged)| !agree(entry, &judged.condition))
        .map(|((name, _), _)| name.clone())
        .collect();
    if disagree.is_empty() {
        return Ok((seen, panes));
    }
    // Order matters: the record first, then the look.
    let mut entries = seen.entries;
    for name in disagree {
        match context.registry.read(&name) {
            Entry::Vacant if context.definitions().declaration(&name).is_none() => drop(entries.remove(&name)),
            entry => drop(entries.insert(name, entry)),
        }
    }
    let panes = again();
    Ok((judged(context, entries, &panes), panes))
}

fn judged(context: &Context, mut entries: BTreeMap<SessionName, Entry>, panes: &Result<Panes, Silence>) -> Everything {
    if let Ok(panes) = panes {
        context.add_unrecorded(&mut entries, panes);
    }
    let judged = entries.iter().map(|(name, entry)| context.judge(name, entry, panes.as_ref())).collect();
    Everything { entries, judged }
}

/// Whether a record and what tmux showed agree, so that they hold whichever of the two was seen first.
fn agree(entry: &Entry, condition: &Condition) -> bool {
    let record = entry.record();
    let at_rest = record.and_then(|record| record.phase).is_none_or(|phase| !phase.is_unfinished());
    match condition {
        // It is not understood, and asking again would only take as long again.
        Condition::Silent(_) => true,
        Condition::Live(pane) | Condition::Dead(pane) | Condition::Deserted { dead: Some(pane) } => {
            at_rest && record.is_some_and(|record| record.loop_id == pane.pane_loop_id)
        }
        Condition::Gone => at_rest && record.is_none_or(|record| record.status == RecordStatus::Stopped),
        Condition::Deserted { dead: None }
        | Condition::Orphaned
        | Condition::Replaced(_)
        | Condition::Foreign(_)
        | Condition::Unrecorded(_) => false,
    }
}

/// Every name that is declared or recorded, with its entry.
pub(crate) fn every_name(context: &Context) -> Result<BTreeMap<SessionName, Entry>, Error> {
    let mut entries = context.registry.all()?;
    for declaration in &context.settings().sessions {
        entries.entry(declaration.name.clone()).or_insert(Entry::Vacant);
    }
    Ok(entries)
}
