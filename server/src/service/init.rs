//! The service as process 1, as in a container without an init: it is then the parent of every process that loses its
//! own, and has to wait for each of them. The service itself runs as a child, so that none of the children it waits for
//! is taken from it.

use std::{
    env, io,
    os::unix::process::CommandExt,
    process::{Command, ExitStatus},
};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

/// Whether this process has to do it.
pub(crate) fn is_needed() -> bool {
    // systemd hands its sockets to one process and no other.
    std::process::id() == 1 && env::var_os("LISTEN_PID").is_none()
}

/// Runs this program once more with the same arguments, and waits for it and for every orphan. The value is its exit
/// status.
pub(crate) fn run() -> io::Result<u8> {
    Builder::new_current_thread().enable_all().build()?.block_on(supervise())
}

async fn supervise() -> io::Result<u8> {
    // Before the child is there: no end of it is missed.
    let mut ended = signal(SignalKind::child())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut quit = signal(SignalKind::quit())?;
    // A group of its own: what the terminal sends reaches it once, from here.
    let child = Command::new(env::current_exe()?).args(env::args_os().skip(1)).process_group(0).spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    loop {
        if let Some(code) = reap(pid)? {
            return Ok(code);
        }
        let passed_on = tokio::select! {
            _ = ended.recv() => None,
            _ = terminate.recv() => Some(Signal::TERM),
            _ = interrupt.recv() => Some(Signal::INT),
            _ = hangup.recv() => Some(Signal::HUP),
            _ = quit.recv() => Some(Signal::QUIT),
        };
        if let Some(signal) = passed_on {
            // It is not waited for yet, so that the pid is still its own.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Waits for all that have ended; the exit status of the service if it is one of them.
fn reap(service: Pid) -> io::Result<Option<u8>> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == service => return Ok(Some(code(status.as_raw()))),
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// As a shell tells it.
fn code(status: i32) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let status = ExitStatus::from_raw(status);
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
