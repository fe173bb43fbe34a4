//! control: start, stop or restart one session; start or stop every session.

use std::{collections::BTreeMap, fs, sync::Mutex, thread};

use rustix::process::{Resource, getrlimit};

use wire::{ControlReport, ControlVerb, Outcome, Remedy, Row, SessionName};

use super::{Context, detail::Detail, list::everything, start, stop};
use crate::{Error, registry::Entry};

/// Sessions that are started at the same time. A start spends nearly all of its time waiting for the probe, but an
/// agent that starts needs a machine that is not busy with a hundred other starts.
pub(super) const AT_ONCE: usize = 32;

/// Sessions that are stopped at the same time. A stop costs the machine little, and the grace periods run in
/// parallel.
const STOPS_AT_ONCE: usize = 160;

/// Stack size of a thread, in bytes: enough for the calls of a verb, with a margin.
const STACK: usize = 1024 * 1024;

/// Descriptors that a stop holds: its lock and those of the processes that it waits for, usually two.
const OF_A_STOP: usize = 4;

/// Descriptors for everything else: calls to tmux, records, the event log, connections of a service.
const OF_THE_REST: usize = 256;

/// Runs a verb on one session.
pub(crate) fn one(context: &Context, name: &SessionName, verb: ControlVerb) -> Result<ControlReport, Error> {
    match verb {
        ControlVerb::Start => start::start(context, name).map(|row| ControlReport::of(vec![row])),
        ControlVerb::Stop => stop::stop(context, name).map(|row| ControlReport::of(vec![row])),
        ControlVerb::Restart => restart(context, name),
    }
}

/// Restarts one session. If the stop fails, the session is not started.
fn restart(context: &Context, name: &SessionName) -> Result<ControlReport, Error> {
    let record = context.registry.read_whole(name)?;
    if record.is_none() {
        context.resolve_vacant(name)?;
    }
    context.registry.prepare()?;
    let hold = context.hold(name, "restart")?;
    let stopped = stop::held(context, &hold, name);
    files::failpoint::at("restart.stopped");
    let stopped_row = context.row_after(name, stopped.outcome, stopped.detail.clone());
    let row = if stopped.may_start() { start::held(context, &hold, name)?.row } else { stopped_row.clone() };
    let mut report = ControlReport::of(vec![row]);
    report.stopped = Some(vec![stopped_row]);
    Ok(report)
}

/// Selection of sessions for a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which<'a> {
    /// All sessions, on the request of an operator.
    Every,
    /// The auto-start sessions and these, for a start of the service that restores sessions that ran before.
    AutoStart(&'a [SessionName]),
}

impl Which<'_> {
    fn names(self, name: &SessionName) -> bool {
        matches!(self, Self::AutoStart(others) if others.contains(name))
    }
}

/// Starts all sessions. Declared ones are started only if the block is enabled; otherwise their rows contain the
/// reason.
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

/// Stops every recorded session, with any config.
pub(crate) fn stop_all(context: &Context) -> Result<ControlReport, Error> {
    let mut recorded = context.registry.all()?;
    // A session that lost its record is not stopped; it keeps running and is reported.
    if let Ok(panes) = context.look() {
        context.add_unrecorded(&mut recorded, &panes);
    }
    let names: Vec<SessionName> = recorded.into_keys().collect();
    let mut rows = side_by_side(&names, stops_at_once(), |name| match stop::stop(context, name) {
        Ok(row) => row,
        Err(error) => failed(context, name, &error),
    });
    // A session without a record and without a tmux session is found only by the mark of this folder on its
    // processes.
    for name in context.names_of_processes().into_iter().filter(|name| !names.contains(name)) {
        let stop = stop::without_record(context, &name);
        rows.push(context.row_after(&name, stop.outcome, stop.detail));
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ControlReport::of(rows))
}

fn disabled(context: &Context, name: &SessionName) -> Row {
    let (key, value) = ("standingSessions.enabled".to_owned(), Some("true".to_owned()));
    let enable = Remedy::Configure { file: context.config_file(), key, value };
    let cause = "not started: `standingSessions.enabled` is false";
    let detail = Detail::new(cause, [enable, Remedy::Start { name: name.clone() }]);
    let mut row = context.row_after(name, Outcome::NotRunning, detail);
    if row.running {
        (row.outcome, row.detail) = (Some(Outcome::AlreadyRunning), Some("started manually".to_owned()));
        row.remedies.clear();
    }
    row
}

fn failed(context: &Context, name: &SessionName, error: &Error) -> Row {
    context.row_after(name, Outcome::Failed, error)
}

/// Returns the number of parallel stops that the descriptor limit allows. A stop fails if it gets no descriptor.
fn stops_at_once() -> usize {
    let limit = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |limit| limit.try_into().unwrap_or(usize::MAX));
    let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    (limit.saturating_sub(open + OF_THE_REST) / OF_A_STOP).clamp(AT_ONCE, STOPS_AT_ONCE)
}

/// Runs work on every name with limited parallelism, and returns the results in the order of the names.
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
        // This thread is one of the workers, so the work is done even if no thread can be created.
        for _ in 1..names.len().min(at_once) {
            if thread::Builder::new().stack_size(STACK).spawn_scoped(threads, worker).is_err() {
                break;
            }
        }
        worker();
    });
    done.into_inner().unwrap_or_default().into_values().collect()
}
