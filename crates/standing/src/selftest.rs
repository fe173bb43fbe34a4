//! selftest: creates, messages, stops, resumes and deletes a session on this machine.
//!
//! It runs in its own home, state folder and tmux server, with the built-in `demo` harness. It touches no session,
//! record or account of the operator, and removes everything at the end.

mod sandbox;
mod steps;

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::Surroundings;
use sandbox::Sandbox;

/// Time limit for all steps together. The rest of ten seconds is for the cleanup.
const LIMIT: Duration = Duration::from_secs(8);

/// Interval for checking if the caller has given up.
const LOOK: Duration = Duration::from_millis(20);

/// Result of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Name of the step: `prepare`, `create`, `say`, `stop`, `start`, `delete` or `clean`.
    pub name: &'static str,
    /// Duration of the step.
    pub took: Duration,
    /// Result, or the reason of the failure, for people.
    pub outcome: Result<String, String>,
}

/// Runs all steps and reports each as it is done; true if all succeeded. After a failed step, or once `given_up`
/// returns true, only `clean` follows. Takes at most ten seconds.
pub fn selftest(here: &Surroundings, given_up: impl Fn() -> bool, mut tell: impl FnMut(&Step)) -> bool {
    let begun = Instant::now();
    let sandbox = match Sandbox::make(here) {
        Ok(sandbox) => Arc::new(sandbox),
        Err(reason) => {
            tell(&Step { name: "prepare", took: begun.elapsed(), outcome: Err(reason) });
            return false;
        }
    };
    let (sender, steps) = mpsc::channel();
    let within = Arc::clone(&sandbox);
    // On another thread: a step that hangs must not prevent the cleanup.
    thread::spawn(move || steps::take(&within, &sender));
    let mut well = true;
    let (mut last, mut underway) = (begun, steps::NAMES[0]);
    loop {
        let outcome = match steps.recv_timeout(LOOK) {
            Ok(outcome) => outcome,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) if given_up() => Err("cancelled".to_owned()),
            Err(mpsc::RecvTimeoutError::Timeout) if begun.elapsed() < LIMIT => continue,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(format!("not finished: the whole self-test may take {} s", LIMIT.as_secs()))
            }
        };
        let failed = outcome.is_err();
        tell(&Step { name: underway, took: last.elapsed(), outcome });
        last = Instant::now();
        if failed {
            well = false;
            break;
        }
        underway = steps::after(underway);
    }
    let outcome = sandbox.clean();
    well &= outcome.is_ok();
    tell(&Step { name: "clean", took: last.elapsed(), outcome });
    well
}
