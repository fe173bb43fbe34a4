//! The end of a harness and of everything it started.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::process::{self, ProcessHold};

/// How long the kernel may take to end what it was told to kill.
const KILL_WAIT: Duration = Duration::from_secs(2);

/// What was signalled, and what is left.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// For a person, in order: `SIGTERM to claude (pid 7)`.
    pub(super) signalled: Vec<String>,
    /// What carries our id and lives on.
    pub(super) left: Vec<String>,
}

impl Ended {
    pub(super) fn report(&self) -> String {
        let mut parts = self.signalled.clone();
        if !self.left.is_empty() {
            parts.push(format!("still alive: {}", self.left.join(", ")));
        }
        parts.join(", ")
    }
}

/// Ends a harness gracefully, then whatever else carries its id.
pub(super) fn end(pane_process: &ProcessHold, loop_id: &str, grace: Duration) -> Ended {
    let mut ended = Ended::default();
    let started = Instant::now();
    let harnesses = behind_shells(pane_process);
    for harness in &harnesses {
        signal(harness, Signal::TERM, "SIGTERM", &mut ended);
    }
    let waited = |held: &ProcessHold| held.wait(grace.saturating_sub(started.elapsed()));
    let gone = harnesses.iter().all(waited);
    // A shell that wrapped the harness leaves when the harness has; if it does not, it is told to.
    if gone
        && !harnesses.iter().any(|held| held.identity == pane_process.identity)
        && !pane_process.wait(Duration::from_millis(200))
    {
        signal(pane_process, Signal::TERM, "SIGTERM", &mut ended);
        pane_process.wait(grace.saturating_sub(started.elapsed()));
    }
    let stubborn = harnesses.iter().chain(std::iter::once(pane_process)).filter(|held| held.identity.is_alive());
    for held in stubborn {
        signal(held, Signal::KILL, "SIGKILL", &mut ended);
        held.wait(KILL_WAIT);
    }
    let mut rest = sweep(loop_id);
    ended.signalled.append(&mut rest.signalled);
    ended.left = rest.left;
    if pane_process.identity.is_alive() {
        ended.left.push(label(pane_process));
    }
    ended
}

/// Kills everything that carries an id, until nothing does or time is up.
pub(super) fn sweep(loop_id: &str) -> Ended {
    let mut ended = Ended::default();
    let deadline = Instant::now() + KILL_WAIT;
    loop {
        let found = process::carrying(loop_id);
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

fn signal(held: &ProcessHold, signal: Signal, name: &str, ended: &mut Ended) {
    let label = label(held);
    match held.signal(signal) {
        Ok(true) => ended.signalled.push(format!("{name} to {label}")),
        Ok(false) => {}
        Err(error) => ended.signalled.push(format!("{name} to {label} failed ({error})")),
    }
}

fn label(held: &ProcessHold) -> String {
    format!("{} (pid {})", process::command_name(held.identity.pid), held.identity.pid)
}

/// The harness itself, where shells wrap it: a shell that gets SIGTERM leaves without telling its child.
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

fn is_shell(pid: u32) -> bool {
    matches!(process::command_name(pid).as_str(), "sh" | "bash" | "dash" | "zsh" | "ksh" | "fish" | "ash" | "busybox")
}

fn children(pid: u32) -> Vec<u32> {
    fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(|child| child.parse().ok())
        .collect()
}
