//! list: all declared and recorded sessions, with one call to tmux for any number of sessions, and one more for
//! sessions whose title does not reveal their activity.
//!
//! The records are read while tmux answers. A record and a pane that were read at different times may disagree only
//! because a verb changed both in between. So if they disagree, tmux is called again after the record was read.

use std::{collections::BTreeMap, thread};

use harness::BUILT_IN;
use tmux::{Pane, Panes, Silence};
use wire::{Activity, ControlReport, Row, SessionName, State};

use super::{
    Context,
    context::Judged,
    say::Queue,
    screen::{last_line, last_lines},
};
use crate::{
    Error, parallel,
    registry::{Entry, Record, RecordStatus},
    state::Condition,
};

/// Returns all sessions, sorted by name.
pub(crate) fn list(context: &Context) -> Result<Vec<Row>, Error> {
    let everything = everything(context)?;
    let mut rows = everything.rows(context);
    let Everything { entries, judged } = &everything;
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

/// Returns the sessions as they are. The report is ok unless an auto-start session is not running; other sessions do
/// not count.
pub(crate) fn status(context: &Context) -> Result<ControlReport, Error> {
    let sessions = list(context)?;
    let enabled = context.settings().standing_enabled;
    let ok = sessions.iter().all(|row| {
        let wanted = row.auto_start && (!row.declared || enabled);
        // A missing or unreadable record could be that of an auto-start session, and a start would fail on it.
        (row.running || !wanted) && !matches!(row.state, State::Unreadable | State::Unrecorded)
    });
    Ok(ControlReport { sessions, stopped: None, ok })
}

/// True if the title leaves the activity, the prompt or an obstacle of a session open, so that its screen must be read: an
/// agent that retries calls itself busy. Screens of other programs are not read.
fn is_unclear(context: &Context, row: &Row) -> bool {
    let custom = context.settings().routing.harnesses.get(&row.harness);
    let known = custom.map_or_else(|| BUILT_IN.contains(&row.harness.as_str()), |custom| custom.like.is_some());
    known && matches!(row.activity, Activity::Unknown | Activity::Waiting | Activity::Busy)
}

/// Updates rows from their screens, with few calls to tmux for any number of rows.
fn read_screens(context: &Context, unclear: Vec<(&mut Row, Option<&Record>, &Pane)>) {
    if unclear.is_empty() {
        return;
    }
    let panes: Vec<&Pane> = unclear.iter().map(|(_, _, pane)| *pane).collect();
    let screens = context.tmux.capture_all(&panes).into_result().unwrap_or_default();
    for ((row, record, pane), screen) in unclear.into_iter().zip(screens) {
        let told = row.clone();
        context.read_screen(row, record, pane, &screen.unwrap_or_default());
        // A screen that is not recognised says less than the title did.
        if row.activity == Activity::Unknown && row.blocked.is_none() {
            *row = Row { last_line: std::mem::take(&mut row.last_line), ..told };
        }
    }
}

/// Returns all sessions with the last `lines` lines of their panes. The activity is read from the whole screen. For
/// the page.
pub(crate) fn survey(context: &Context, lines: usize) -> Result<Vec<(Row, String)>, Error> {
    let everything = everything(context)?;
    let Everything { entries, judged } = &everything;
    let shown: Vec<Option<&Pane>> = judged.iter().map(|judged| judged.condition.shown()).collect();
    let wanted: Vec<&Pane> = shown.iter().flatten().copied().collect();
    // A screen that could not be read leaves its row without one: the row's state already reports a silent tmux.
    let mut screens = context.tmux.capture_all(&wanted).into_result().unwrap_or_default().into_iter();
    let rows = everything.rows(context).into_iter().zip(entries.values()).zip(judged).zip(&shown);
    let rows = rows.map(|(((mut row, entry), judged), pane)| {
        let screen = pane.and_then(|_| screens.next().flatten()).unwrap_or_default();
        row.last_line = last_line(&screen);
        if let Condition::Live(pane) = &judged.condition {
            context.read_screen(&mut row, entry.record(), pane, &screen);
        }
        (row, last_lines(&screen, lines))
    });
    Ok(rows.collect())
}

/// All sessions and their conditions.
pub(crate) struct Everything {
    /// All names that are declared, recorded or have a live session of the-loop.
    pub(crate) entries: BTreeMap<SessionName, Entry>,
    /// Condition of each session, in the order of the names.
    pub(crate) judged: Vec<Judged>,
}

impl Everything {
    /// Returns the row of each session, in the order of the names.
    pub(super) fn rows(&self, context: &Context) -> Vec<Row> {
        let queues = Queue::names(context);
        let sessions: Vec<_> = self.entries.iter().zip(&self.judged).collect();
        parallel::map(&sessions, |((name, entry), judged)| {
            let may_have_queue = queues.as_ref().is_none_or(|queues| queues.contains(*name));
            context.row_with(name, entry, judged, may_have_queue)
        })
    }
}

/// Panes, or the reason why tmux did not answer.
pub(crate) type Panorama = Result<Panes, Silence>;

/// Looks at all sessions once.
pub(crate) fn everything(context: &Context) -> Result<Everything, Error> {
    everything_by(context, || context.look(), || context.look()).map(|(seen, _)| seen)
}

/// Looks at all sessions once, and returns the panes as well. `first` reads the panes while the records are read;
/// `again` reads them again if the two disagree.
pub(crate) fn everything_by(
    context: &Context,
    first: impl FnOnce() -> Panorama + Send,
    again: impl Fn() -> Panorama,
) -> Result<(Everything, Panorama), Error> {
    let (entries, panes) = thread::scope(|threads| {
        let asked = thread::Builder::new().spawn_scoped(threads, first);
        let entries = every_name(context);
        // If no thread could be created, the panes are read after the records.
        let panes = asked.ok().and_then(|asked| asked.join().ok()).unwrap_or_else(&again);
        (entries, panes)
    });
    let mut panes = panes;
    let mut seen = judged(context, entries?, &panes);
    for _ in 0..ROUNDS {
        let disagree = disagreeing(context, &seen);
        if disagree.is_empty() {
            break;
        }
        // Order matters: the record first, then the look.
        let mut entries = seen.entries;
        for name in disagree {
            match context.registry.read(&name) {
                Entry::Vacant if context.definitions().declaration(&name).is_none() => drop(entries.remove(&name)),
                entry => drop(entries.insert(name, entry)),
            }
        }
        panes = again();
        seen = judged(context, entries, &panes);
        // What is still in between is in between: only a verb that began during this look makes another one necessary.
        if !seen.iter().any(|(name, entry, condition)| is_ended_by_verb(context, name, entry, condition)) {
            break;
        }
    }
    Ok((seen, panes))
}

/// Largest number of further looks: a verb on a session ends its harness once.
const ROUNDS: usize = 3;

/// Returns the sessions whose record and panes were read at different moments of a change.
fn disagreeing(context: &Context, seen: &Everything) -> Vec<SessionName> {
    let disagree = seen.iter().filter(|(name, entry, condition)| {
        !agree(entry, condition) || is_ended_by_verb(context, name, entry, condition)
    });
    disagree.map(|(name, ..)| name.clone()).collect()
}

impl Everything {
    fn iter(&self) -> impl Iterator<Item = (&SessionName, &Entry, &Condition)> {
        self.entries.iter().zip(&self.judged).map(|((name, entry), judged)| (name, entry, &judged.condition))
    }
}

fn judged(context: &Context, mut entries: BTreeMap<SessionName, Entry>, panes: &Result<Panes, Silence>) -> Everything {
    if let Ok(panes) = panes {
        context.add_unrecorded(&mut entries, panes);
    }
    let sessions: Vec<_> = entries.iter().collect();
    let judged = parallel::map(&sessions, |(name, entry)| context.judge(name, entry, panes.as_ref()));
    Everything { entries, judged }
}

/// True if a record and tmux agree, in which case the order of reading does not matter.
fn agree(entry: &Entry, condition: &Condition) -> bool {
    let record = entry.record();
    let at_rest = record.and_then(|record| record.phase).is_none_or(|phase| !phase.is_unfinished());
    match condition {
        // tmux did not answer, and another call would only take as long.
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

/// True if a pane is dead and its record has changed since it was read: a verb that began in between ended the harness,
/// which did not exit on its own.
fn is_ended_by_verb(context: &Context, name: &SessionName, entry: &Entry, condition: &Condition) -> bool {
    let phase = |entry: &Entry| entry.record().and_then(|record| record.phase);
    matches!(condition, Condition::Dead(_) | Condition::Deserted { dead: Some(_) })
        && phase(&context.registry.read(name)) != phase(entry)
}

/// Returns all declared and recorded names, with their registry entries.
pub(crate) fn every_name(context: &Context) -> Result<BTreeMap<SessionName, Entry>, Error> {
    let mut entries = context.registry.all()?;
    for declaration in &context.settings().sessions {
        entries.entry(declaration.name.clone()).or_insert(Entry::Vacant);
    }
    Ok(entries)
}
