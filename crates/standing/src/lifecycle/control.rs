//! control: start, stop or restart one session; start or stop every session.

use std::{collections::BTreeMap, fs, sync::Mutex, thread};

use rustix::process::{Resource, getrlimit};

use wire::{ControlReport, ControlVerb, Outcome, Row, SessionName};

use super::{Context, list::everything, restart, start, stop};
use crate::{Error, registry::Entry};

/// How many sessions are worked on side by side. A verb waits nearly all of its time, for the probe or the grace; but
/// an agent that starts needs a machine that is not busy with a hundred others that do.
pub(super) const AT_ONCE: usize = 32;

/// The same for a stop, which costs the machine little, so that the graces run side by side.
const STOPS_AT_ONCE: usize = 160;

/// What a verb needs for its calls, with room.
const STACK: usize = 1024 * 1024;

/// Descriptors that one stop keeps: its lock and those of the processes that it waits for, two as a rule.
const OF_A_STOP: usize = 4;

/// Descriptors for all else that goes on: questions to tmux, records, the event log, connections of a service.
const OF_THE_REST: usize = 256;

/// Does a verb to one session.
pub(crate) fn one(context: &Context, name: &SessionName, verb: ControlVerb) -> Result<ControlReport, Error> {
    match verb {
        ControlVerb::Start => start::start(context, name).map(|row| ControlReport::of(vec![row])),
        ControlVerb::Stop => stop::stop(context, name).map(|row| ControlReport::of(vec![row])),
        ControlVerb::Restart => restart::restart(context, name),
    }
}

/// Which sessions a start of all concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which<'a> {
    /// Every one: an operator asked.
    Every,
    /// Those that start by themselves, and these: the service starts, and what ran before is to run again.
    AutoStart(&'a [SessionName]),
}

impl Which<'_> {
    fn names(self, name: &SessionName) -> bool {
        matches!(self, Self::AutoStart(others) if others.contains(name))
    }
}

/// Starts all sessions. Declared ones only if the block is enabled; if it is not, they are named with the reason.
pub(crate) fn start_all(context: &Context, which: Which<'_>) -> Result<ControlReport, Error> {
    let entries = everything(context)?.entries;
    let (mut rows, mut names) = (Vec::new(), Vec::new());
    for (name, entry) in &entries {
        let Some(definition) = context.definitions().known(name, entry.record()) else {
            let error = match entry {
                Entry::Unreadable(reason) => context.registry.bad(name, reason.clone()),
                _ => context.is_unrecorded(name),
            };
            rows.push(failed(context, name, &error));
            continue;
        };
        if which.names(name) {
            names.push(name.clone());
        } else if definition.declared && !context.settings().standing_enabled {
            rows.push(disabled(context, name));
        } else if which == Which::Every || definition.auto_start {
            names.push(name.clone());
        }
    }
    rows.extend(side_by_side(&names, AT_ONCE, |name| match start::start(context, name) {
        Ok(row) => row,
        Err(error) => failed(context, name, &error),
    }));
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ControlReport::of(rows))
}

/// Stops every recorded session, whatever the config says.
pub(crate) fn stop_all(context: &Context) -> Result<ControlReport, Error> {
    let mut recorded = context.registry.all()?;
    // One whose record is gone is not stopped, and is told of: it lives on.
    if let Ok(panes) = context.look() {
        context.add_unrecorded(&mut recorded, &panes);
    }
    let names: Vec<SessionName> = recorded.into_keys().collect();
    let mut rows = side_by_side(&names, stops_at_once(), |name| match stop::stop(context, name) {
        Ok(row) => row,
        Err(error) => failed(context, name, &error),
    });
    // What has neither a record nor a tmux session any more is known by the mark of this folder alone.
    for name in context.names_of_processes().into_iter().filter(|name| !names.contains(name)) {
        let stop = stop::without_record(context, &name);
        rows.push(context.row_after(&name, stop.outcome, stop.detail));
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ControlReport::of(rows))
}

fn disabled(context: &Context, name: &SessionName) -> Row {
    let detail = format!(
        "not started: `standingSessions.enabled` is false in {}; set it to true, or start this session with \
         `the-loop standing start {name}`",
        context.config_file()
    );
    let mut row = context.row_after(name, Outcome::NotRunning, detail);
    if row.running {
        (row.outcome, row.detail) = (Some(Outcome::AlreadyRunning), Some("started manually".to_owned()));
    }
    row
}

fn failed(context: &Context, name: &SessionName, error: &Error) -> Row {
    context.row_after(name, Outcome::Failed, error.problem().detail)
}

/// As many as there are descriptors for. One that a stop cannot have makes it fail.
fn stops_at_once() -> usize {
    let limit = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |limit| limit.try_into().unwrap_or(usize::MAX));
    let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    (limit.saturating_sub(open + OF_THE_REST) / OF_A_STOP).clamp(AT_ONCE, STOPS_AT_ONCE)
}

/// Works on every name, a bounded number at once, and gives the answers in the order of the names.
pub(super) fn side_by_side<T: Send>(
    names: &[SessionName],
    at_once: usize,
    work: impl Fn(&SessionName) -> T + Sync,
) -> Vec<T> {
    let queue = Mutex::new(names.iter());
    let done = Mutex::new(BTreeMap::new());
    let next = || queue.lock().ok().and_then(|mut names| names.next());
    let worker = || {
        while let Some(name) = next() {
            let answer = work(name);
            if let Ok(mut done) = done.lock() {
                done.insert(name.clone(), answer);
            }
        }
    };
    thread::scope(|threads| {
        // This thread is one of them, so that the work is done where no other can be had.
        for _ in 1..names.len().min(at_once) {
            if thread::Builder::new().stack_size(STACK).spawn_scoped(threads, worker).is_err() {
                break;
            }
        }
        worker();
    });
    done.into_inner().unwrap_or_default().into_values().collect()
}
