//! Points at which a test ends this process, or stands it still, to see what a crash there leaves behind.
//!
//! They exist only with the feature `failpoints`, which nothing that is shipped has: without it a point is no code at
//! all. `THE_LOOP_FAILPOINT=<point>=kill` ends the process there with SIGKILL, so that nothing of it gets to tidy up;
//! `<point>=stop` stops it there with SIGSTOP, until the test lets it go on.

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
    // A signal to oneself is there before the call returns.
    let _ = kill_process(getpid(), signal);
}

/// Passes a point at which a test may end or stop this process.
#[cfg(not(feature = "failpoints"))]
pub const fn at(_point: &str) {}
