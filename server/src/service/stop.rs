//! Stops the service: requests the end, waits, then kills it.

use std::{path::Path, time::Duration};

use standing::{ProcessHold, TheLoop};
use wire::ServiceOutcome;

use super::{
    instance::{self, LockHolder},
    systemd::handover,
};

/// Time for the service to finish open requests. It limits itself to 10 s.
const GRACE: Duration = Duration::from_secs(15);

/// Timeout for the kernel to end a killed process.
const KILL_WAIT: Duration = Duration::from_secs(2);

/// Stops the service of an instance. A service that is not running is not a failure.
pub(crate) fn stop(the_loop: &TheLoop) -> (ServiceOutcome, String) {
    let config = the_loop.config();
    let state_root = &config.settings.state_root;
    let holder = match instance::running(state_root) {
        Ok(None) => return (ServiceOutcome::NotRunning, String::new()),
        Ok(Some(holder)) => holder,
        Err(error) => return (ServiceOutcome::Failed, format!("could not determine whether it is running: {error}")),
    };
    let Some(held) = hold(state_root, &holder) else {
        return match instance::running(state_root) {
            Ok(None) => (ServiceOutcome::NotRunning, "it had already exited".to_owned()),
            _ => (ServiceOutcome::Failed, format!("its lock is held, but not by pid {}", holder.pid)),
        };
    };
    let pid = held.pid();
    if let Some(told) = handover::stop(the_loop.surroundings(), pid) {
        return match told {
            Ok(()) if held.wait(KILL_WAIT) => (ServiceOutcome::Stopped, format!("pid {pid}, by systemd")),
            Ok(()) => (ServiceOutcome::Failed, format!("systemd reports it stopped, but pid {pid} is still running")),
            Err(text) => (ServiceOutcome::Failed, text),
        };
    }
    match held.terminate() {
        Ok(_) if held.wait(GRACE) => return (ServiceOutcome::Stopped, format!("SIGTERM to pid {pid}")),
        Ok(_) => {}
        Err(error) => return (ServiceOutcome::Failed, format!("SIGTERM to pid {pid} failed ({error})")),
    }
    let told = format!("SIGTERM to pid {pid}, and SIGKILL after {} s", GRACE.as_secs());
    match held.kill() {
        Ok(_) if held.wait(KILL_WAIT) => (ServiceOutcome::Stopped, told),
        _ => (ServiceOutcome::Failed, format!("{told}, but it is still running")),
    }
}

/// Returns a handle of the process that holds the lock. Order matters: the handle is taken first and the lock checked
/// again, so that the PID cannot belong to another process meanwhile.
fn hold(state_root: &Path, holder: &LockHolder) -> Option<ProcessHold> {
    let held = ProcessHold::of(holder.pid)?;
    let again = instance::running(state_root).ok()??;
    (again.pid == holder.pid).then_some(held)
}
