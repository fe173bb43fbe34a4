//! Check that the tmux program and the tmux server are of one version. An upgrade replaces the program; the server
//! keeps its old version until it ends.

use tmux::Silence;
use wire::{Check, Finding};

use super::CheckContext;

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let Ok(program) = &patient.program else { return Vec::new() };
    match &patient.server {
        Ok(Some(server)) if server.version != *program => {
            let what = format!("the program `tmux` is version {program}, but the server is version {}", server.version);
            vec![told(patient, &what, &format!("the tmux server (pid {})", server.pid))]
        }
        Err(silence) if is_skew(silence) => {
            let what = format!(
                "the program `tmux` is version {program}, but the server is a different version: {}",
                silence.0
            );
            vec![told(patient, &what, "the tmux server")]
        }
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// True if a server of another version fails to answer in this way.
pub(super) fn is_skew(silence: &Silence) -> bool {
    ["protocol version mismatch", "open terminal failed: not a terminal"].iter().any(|said| silence.0.contains(said))
}

fn told(patient: &CheckContext<'_>, what: &str, place: &str) -> Finding {
    let remedy = format!(
        "at a convenient time, run `the-loop stop --sessions-only`, `{} kill-server` (ends everything else in it \
         too) and `the-loop start`; conversations are resumed",
        patient.tmux()
    );
    Finding::hazard(Check::VersionSkew, place, what, remedy)
}
