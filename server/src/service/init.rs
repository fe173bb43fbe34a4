//! The service as process 1, as in a container without an init. Process 1 becomes the parent of every orphan, and must
//! wait for each of them. The service itself runs as a child, so that none of its own children is reaped here.

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

/// True if this process must act as init.
pub(crate) fn is_needed() -> bool {
    // systemd passes its sockets to one process only.
    std::process::id() == 1 && env::var_os("LISTEN_PID").is_none()
}

/// Runs this program again with the same arguments, and waits for it and for every orphan. Returns its exit status.
pub(crate) fn run() -> io::Result<u8> {
    Builder::new_current_thread().enable_all().build()?.block_on(supervise())
}

async fn supervise() -> io::Result<u8> {
    // Before the child starts, so that its end is not missed.
    let mut ended = signal(SignalKind::child())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut quit = signal(SignalKind::quit())?;
    // The child has its own process group: a signal from the terminal reaches it once, from here.
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
            // The child is not reaped yet, so the PID is still its own.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Reaps all ended processes. Returns the exit status of the service if it is one of them.
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

/// Returns the exit status as a shell reports it.
fn code(status: i32) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let status = ExitStatus::from_raw(status);
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
