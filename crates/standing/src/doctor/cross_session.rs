//! Check for messages that Claude Code delivers between its sessions, past the limits of the-loop.

use config::CrossSession;
use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let place = "`routing.harnesses.claude.crossSession`";
    let remedy = "set it to `refuse`, which is the default, and restart the sessions";
    let what = match patient.settings().routing.cross_session {
        CrossSession::Refuse => return Vec::new(),
        CrossSession::Accept => {
            "every Claude Code session on this machine can message the sessions, past the limits on messages between \
             sessions"
        }
        CrossSession::Ask => {
            "a message of another Claude Code session opens a prompt, which blocks an unattended session until it is \
             answered"
        }
    };
    vec![Finding::notice(Check::Harness, place, what, remedy)]
}

#[cfg(test)]
mod tests {
    use crate::{Surroundings, TheLoop};

    #[test]
    fn only_a_changed_setting_is_reported() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("c.yaml");
        let here = Surroundings::of_process().with_var("HOME", home.path());
        for (word, reported) in [("refuse", false), ("accept", true), ("ask", true)] {
            let state = home.path().display();
            let text =
                format!("state: {{root: {state}/s}}\nrouting: {{harnesses: {{claude: {{crossSession: {word}}}}}}}\n");
            std::fs::write(&file, text).expect("written");
            let the_loop = TheLoop::open_in(Some(&file), here.clone(), "test");
            let findings = the_loop.doctor();
            let told = findings.iter().any(|finding| finding.place.contains("crossSession"));
            assert_eq!(told, reported, "{word}: {findings:?}");
        }
    }
}
