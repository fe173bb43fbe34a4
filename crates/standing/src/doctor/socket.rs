//! Check for a lost tmux server: sessions were spawned on it and it runs, but its socket is gone or belongs to another
//! server.

use wire::{Check, Finding};

use super::CheckContext;
use crate::lifecycle::orphan::{is_lost, revival};

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let answering = patient.server.as_ref().ok().and_then(Option::as_ref).map(|about| about.pid);
    let mut findings = Vec::new();
    for server in patient.recorded_servers() {
        let (pid, socket) = (server.process.pid, server.socket.display().to_string());
        let place = format!("the tmux server (pid {pid})");
        if is_lost(server) {
            let what = format!("running, but its socket {socket} is missing, so its sessions cannot be reached");
            findings.push(Finding::hazard(Check::Socket, place, what, revival(server)));
        } else if let Some(other) = answering.filter(|&other| other != pid && reaches(patient, &server.socket)) {
            let what = format!("running, but another server (pid {other}) answers at its socket {socket}");
            let remedy = format!(
                "check what runs in it before you end it: `ps --ppid {pid}`; stop its sessions with `the-loop \
                 standing stop`"
            );
            findings.push(Finding::hazard(Check::Socket, place, what, remedy));
        }
    }
    findings
}

/// True if the config's server is the one at that socket, not a server on which another config has sessions.
fn reaches(patient: &CheckContext<'_>, socket: &std::path::Path) -> bool {
    let wanted = match patient.settings().routing.tmux.socket.as_str() {
        "" => "default",
        name => name,
    };
    socket.file_name().is_some_and(|name| name == wanted)
}
