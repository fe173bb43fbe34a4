//! Check for tmux options and hooks that would end sessions.

use tmux::configured;
use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Ok(Some(server)) = &patient.server {
        let place = format!("the tmux server (pid {})", server.pid);
        for option in patient.context.tmux.ending_options() {
            findings.push(told(place.clone(), &option, &unset(patient, &option)));
        }
    }
    for (file, line) in configured(&patient.context.surroundings) {
        findings.push(told(file.display().to_string(), &line, "remove the line, then reload the file or restart tmux"));
    }
    findings
}

/// Builds the finding of an option or hook. A hook may be meant for other sessions than managed ones. `exit-unattached`
/// ends every session, and a start turns it off.
fn told(place: String, option: &str, remedy: &str) -> Finding {
    if option.contains("exit-unattached") {
        let what = format!(
            "`{option}` ends the server and every session when the last client detaches; the-loop turns it off when \
             it starts a session, and reloading the file turns it on again"
        );
        return Finding::notice(Check::Tmux, place, what, remedy);
    }
    let what = format!("the hook `{option}` can end or replace the program in a session");
    Finding::notice(Check::Tmux, place, what, remedy)
}

fn unset(patient: &CheckContext<'_>, option: &str) -> String {
    let tmux = patient.tmux();
    match option.split_whitespace().next() {
        Some("exit-unattached") => format!("`{tmux} set-option -s exit-unattached off`"),
        Some(hook) => format!("`{tmux} set-hook -gu '{hook}'`, unless you want it for these sessions"),
        None => String::new(),
    }
}
