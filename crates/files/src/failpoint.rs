//! Test points that end or stop this process, to test the state after a crash at that point.
//!
//! They exist only with the feature `failpoints`, which no release has: without it a point compiles to nothing.
//! `THE_LOOP_FAILPOINT=<point>=kill` ends the process there with SIGKILL, so none of its cleanup runs. `<point>=stop`
//! stops it there with SIGSTOP, until the test resumes it.

/// Passes a point at which a test may end or stop this process.
#[cfg(feature = "failpoints")]
pub fn at(point: &str) {
    use rustix::process::{Signal, getpid, kill_process};

    let Ok(wanted) = std::env::var("THE_LOOP_FAILPOINT") else { return };
    let signal = match wanted.split_once('=') {
        Some((name, "kill")) if name == point => Signal::KILL,
        Some((name, "stop")) if name == point => Signal::STOP,
        _ => return,
    };
    // A signal to the own process arrives before the call returns.
    let _ = kill_process(getpid(), signal);
}

/// Passes a point at which a test may end or stop this process.
#[cfg(not(feature = "failpoints"))]
pub const fn at(_point: &str) {}
