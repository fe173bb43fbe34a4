//! Termination of a harness and of all processes that it started.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use process::{self, ProcessHold, ProcessIdentity};

/// Time for the kernel to end a killed process.
const KILL_WAIT: Duration = Duration::from_secs(2);

/// Signalled processes, and those that are left.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// For people, in order: `SIGTERM to claude (pid 7)`.
    pub(super) signalled: Vec<String>,
    /// Processes with the session's id that are still alive.
    pub(super) left: Vec<String>,
    /// Pids that a signal reached.
    reached: BTreeSet<u32>,
}

impl Ended {
    /// Returns the number of signalled processes.
    pub(super) fn count(&self) -> usize {
        self.reached.len()
    }

    pub(super) fn report(&self) -> String {
        let mut parts = self.signalled.clone();
        if !self.left.is_empty() {
            parts.push(format!("still running: {}", self.left.join(", ")));
        }
        parts.join(", ")
    }
}

/// Ends a harness gracefully, then all other processes with its id or in its household. They share one grace period.
pub(super) fn end(pane_process: &ProcessHold, loop_id: &str, grace: Duration) -> Ended {
    let mut ended = Ended::default();
    let started = Instant::now();
    let left = || grace.saturating_sub(started.elapsed());
    // Collected now, since the household cannot be determined after the exit.
    let household = process::household(pane_process);
    let harnesses = behind_shells(pane_process);
    for harness in &harnesses {
        ask(harness, &mut ended);
    }
    files::failpoint::at("stop.termed");
    let gone = harnesses.iter().all(|held| held.wait(left()));
    // A shell that wraps the harness exits after the harness; if it does not, it gets SIGTERM.
    if gone
        && !harnesses.iter().any(|held| held.identity == pane_process.identity)
        && !pane_process.wait(Duration::from_millis(200))
    {
        ask(pane_process, &mut ended);
        pane_process.wait(left());
    }
    let stubborn = harnesses.iter().chain(std::iter::once(pane_process)).filter(|held| held.identity.is_alive());
    for held in stubborn {
        signal(held, Signal::KILL, "SIGKILL", &mut ended);
        held.wait(KILL_WAIT);
    }
    // Behind a wrapper that is not a shell, one of these is the harness itself, and is still writing.
    let mut rest = sweep_all(loop_id, &household, left());
    ended.signalled.append(&mut rest.signalled);
    ended.reached.append(&mut rest.reached);
    ended.left = rest.left;
    if pane_process.identity.is_alive() {
        ended.left.push(label(pane_process));
    }
    ended
}

/// Ends all processes with an id: gracefully if there is a grace period, then by force until none is left or the time
/// is over.
pub(super) fn sweep(loop_id: &str, grace: Duration) -> Ended {
    sweep_all(loop_id, &[], grace)
}

/// Ends all processes with an id, and the given ones.
fn sweep_all(loop_id: &str, known: &[ProcessIdentity], grace: Duration) -> Ended {
    let find = || {
        let mut found = process::carrying(loop_id);
        let carrying: BTreeSet<u32> = found.iter().map(|held| held.identity.pid).collect();
        found.extend(known.iter().filter(|process| !carrying.contains(&process.pid)).filter_map(ProcessIdentity::hold));
        found
    };
    let mut ended = Ended::default();
    if !grace.is_zero() {
        let deadline = Instant::now() + grace;
        let found = find();
        if found.is_empty() {
            return ended;
        }
        for held in &found {
            ask(held, &mut ended);
        }
        for held in &found {
            held.wait(deadline.saturating_duration_since(Instant::now()));
        }
    }
    let deadline = Instant::now() + KILL_WAIT;
    loop {
        let found = find();
        if found.is_empty() {
            return ended;
        }
        if Instant::now() >= deadline {
            ended.left = found.iter().map(label).collect();
            return ended;
        }
        for held in &found {
            signal(held, Signal::KILL, "SIGKILL", &mut ended);
        }
        for held in &found {
            held.wait(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

/// Sends SIGTERM to a process. A stopped process cannot handle it, so it is continued.
fn ask(held: &ProcessHold, ended: &mut Ended) {
    signal(held, Signal::TERM, "SIGTERM", ended);
    let _ = held.signal(Signal::CONT);
}

fn signal(held: &ProcessHold, signal: Signal, name: &str, ended: &mut Ended) {
    let label = label(held);
    match held.signal(signal) {
        Ok(true) => {
            ended.signalled.push(format!("{name} to {label}"));
            ended.reached.insert(held.identity.pid);
        }
        Ok(false) => {}
        Err(error) => ended.signalled.push(format!("{name} to {label} failed ({error})")),
    }
}

/// Describes processes, for people.
pub(super) fn told(processes: &[ProcessHold]) -> String {
    processes.iter().map(label).collect::<Vec<_>>().join(", ")
}

fn label(held: &ProcessHold) -> String {
    format!("{} (pid {})", process::command_name(held.identity.pid), held.identity.pid)
}

/// Returns the harness itself, behind shells that wrap it: a shell that gets SIGTERM exits without signalling its
/// child.
fn behind_shells(pane_process: &ProcessHold) -> Vec<ProcessHold> {
    let mut found = Vec::new();
    let mut pending = vec![pane_process.identity.pid];
    while let Some(pid) = pending.pop() {
        let children = if is_shell(pid) { children(pid) } else { Vec::new() };
        if children.is_empty() {
            found.extend(ProcessHold::of(pid));
        }
        pending.extend(children);
    }
    found
}

/// Checks the executable: a script has its own command name, whatever runs it.
fn is_shell(pid: u32) -> bool {
    let exe = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let name = exe.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match name.trim_end_matches(" (deleted)") {
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "fish" | "ash" => true,
        // One executable with many commands.
        "busybox" => matches!(process::command_name(pid).as_str(), "sh" | "ash" | "busybox"),
        _ => false,
    }
}

fn children(pid: u32) -> Vec<u32> {
    fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(|child| child.parse().ok())
        .collect()
}
