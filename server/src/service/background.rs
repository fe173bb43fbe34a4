//! Starts the service in the background: this program again, in its own terminal session, with its log in a file.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use standing::{TheLoop, launcher, state_folder};
use wire::{ServiceOutcome, ServiceRow};

use super::{
    instance::{self, Details, LockHolder},
    readiness::{self, Heard, StartupMessage},
    systemd::handover,
};
use crate::service::serve::Bind;

/// Timeout for a service to become ready. It usually takes a fraction of a second.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// Name of the service in every report.
pub(crate) const NAME: &str = "service";

/// Number of log lines shown for a service that ended without a message.
const LAST_LINES: usize = 5;

/// Returns the log file of a background service.
pub(crate) fn log_file(state_root: &Path) -> PathBuf {
    state_root.join("logs/service.log")
}

/// Starts the service unless it is running. The second value is the exit status for a failure.
pub(crate) fn start(the_loop: &TheLoop, bind: &Bind) -> (ServiceRow, u8) {
    let config = the_loop.config();
    let row =
        ServiceRow { service: NAME.to_owned(), enabled: config.settings.service.enabled, ..ServiceRow::default() };
    let state_root = &config.settings.state_root;
    let failed =
        |text: String, code| (ServiceRow { outcome: Some(ServiceOutcome::Failed), detail: text, ..row.clone() }, code);
    if let Err(error) = state_folder::check_owner(state_root) {
        return failed(error.to_string(), 1);
    }
    // This check is first: a second start has no effect at all.
    match instance::running(state_root) {
        Ok(None) => {}
        Ok(Some(holder)) => return (already(row, &holder), 0),
        Err(error) => {
            let lock = state_root.join("local/service.pid");
            let text = format!("could not determine whether it is running: {}: {error}", lock.display());
            return failed(text, 1);
        }
    }
    if let Err(error) = state_folder::make(state_root) {
        return failed(error.to_string(), 1);
    }
    if let Err(problems) = config.standing() {
        return failed(problems.to_string(), 2);
    }
    // With another address it is not the service that the unit would start.
    if *bind == Bind::default()
        && let Some(told) = handover::start(the_loop)
    {
        return match told.map(|()| instance::running(state_root)) {
            Ok(Ok(Some(LockHolder { pid, details: Some(Details { address, .. }) }))) => {
                let detail = format!("at {address} (pid {pid}), by systemd");
                let outcome = Some(ServiceOutcome::Started);
                (ServiceRow { outcome, detail, running: true, pid, url: address, ..row }, 0)
            }
            Ok(_) => failed("started by systemd, but it did not report its address".to_owned(), 1),
            Err(text) => failed(text, 1),
        };
    }
    match spawn(the_loop, bind, &log_file(state_root)) {
        Ok((_, StartupMessage::Ready { address })) if address.is_empty() => {
            failed("it did not report its address".to_owned(), 1)
        }
        Ok((pid, StartupMessage::Ready { address })) => {
            let detail = format!("at {address} (pid {pid})");
            let outcome = Some(ServiceOutcome::Started);
            (ServiceRow { outcome, detail, running: true, pid, url: address, ..row }, 0)
        }
        // Another start finished between the check and this one.
        Ok((_, StartupMessage::AlreadyRunning { pid, address })) => (already_at(row, pid, address), 0),
        Ok((_, StartupMessage::Failed { text, code })) => failed(text, code.max(1)),
        Err(text) => failed(text, 1),
    }
}

fn already(row: ServiceRow, holder: &LockHolder) -> ServiceRow {
    let address = holder.details.as_ref().map(|details| details.address.clone()).unwrap_or_default();
    already_at(row, holder.pid, address)
}

fn already_at(row: ServiceRow, pid: u32, url: String) -> ServiceRow {
    let place = if url.is_empty() { String::new() } else { format!("at {url} ") };
    let detail = format!("{place}(pid {pid})");
    ServiceRow { outcome: Some(ServiceOutcome::AlreadyRunning), detail, running: true, pid, url, ..row }
}

fn spawn(the_loop: &TheLoop, bind: &Bind, log: &Path) -> Result<(u32, StartupMessage), String> {
    let here = the_loop.surroundings();
    let stderr = open_log(log).map_err(|error| format!("{}: could not open the log: {error}", log.display()))?;
    let begins = stderr.metadata().map(|meta| meta.len()).unwrap_or_default();
    let mut command = Command::new(here.exe());
    let config = &the_loop.config().path;
    // A config that was searched for is found again from the same folder. Only a named one must be passed on.
    if config.is_named() {
        command.arg("--config").arg(config.file());
    }
    command.args(["serve", "--background"]);
    // A service that an agent starts must not end when the agent's session is stopped.
    command.env_remove("THE_LOOP_ID").env_remove("THE_LOOP_SESSION");
    if let Some(host) = &bind.host {
        command.args(["--host", host]);
    }
    if let Some(port) = bind.port {
        command.arg("--port").arg(port.to_string());
    }
    // The environment has no marks of the program that starts the service. That may be a session, and the service must
    // outlive it.
    command.env_clear().envs(launcher::scrubbed(here, &[])).current_dir(here.cwd());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", here.exe().display()))?;
    let Some(stdout) = child.stdout.take() else { return Err("no standard output".to_owned()) };
    match readiness::listen(stdout, READY_WITHIN) {
        Heard::StartupMessage(word) => Ok((child.id(), word)),
        Heard::Ended => {
            let status = child.wait().map(|status| status.to_string()).unwrap_or_default();
            Err(format!("it exited before it was ready ({status}); {}: {}", log.display(), last_lines(log, begins)))
        }
        Heard::TooLate => {
            // The child is not reaped yet, so the PID is still its own.
            let _ = child.kill();
            let _ = child.wait();
            let seconds = READY_WITHIN.as_secs();
            Err(format!("it was not ready within {seconds} s and was stopped; see its log {}", log.display()))
        }
    }
}

fn open_log(path: &Path) -> io::Result<File> {
    files::folder::make_for(path)?;
    files::open::append(path)
}

fn last_lines(log: &Path, from: u64) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let from = usize::try_from(from).unwrap_or_default().min(bytes.len());
    let text = String::from_utf8_lossy(&bytes[from..]);
    let lines: Vec<&str> = text.lines().collect();
    match &lines[lines.len().saturating_sub(LAST_LINES)..] {
        [] => "its log is empty".to_owned(),
        lines => lines.join("\n"),
    }
}
