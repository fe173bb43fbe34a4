//! selftest: proves on this machine that a session can be made, spoken to, stopped, gone on with and deleted.
//!
//! It happens in a home, a state folder and a tmux server of its own, with the built-in `demo` harness: no session, no
//! record and no account of the operator's is touched, and nothing is left of it.

mod sandbox;
mod steps;

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::Surroundings;
use sandbox::Sandbox;

/// How long all the steps may take together. The rest of ten seconds is for tidying up.
const LIMIT: Duration = Duration::from_secs(8);

/// How often it is asked whether it was given up.
const LOOK: Duration = Duration::from_millis(20);

/// One step, as it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// `prepare`, `create`, `say`, `stop`, `start`, `delete` or `clean`.
    pub name: &'static str,
    /// How long it took.
    pub took: Duration,
    /// What it showed, or why it failed; for a person.
    pub outcome: Result<String, String>,
}

/// Takes every step and tells each as it is done; true if all succeeded. After one that failed, or once `given_up` says
/// so, only `clean` follows. Takes ten seconds at most.
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
    // Beside us: what never ends must not keep the rest from being tidied up.
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
