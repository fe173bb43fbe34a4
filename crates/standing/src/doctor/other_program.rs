//! Check for the published program of this name: it uses the same folder, and would not find the sessions of another
//! tmux server.

use std::{fs, io::Read, os::unix::fs::MetadataExt, path::PathBuf};

use wire::{Check, Finding};

use super::CheckContext;
use crate::registry::Record;

/// First bytes of a machine-code program.
const ELF: &[u8] = b"\x7fELF";

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let records = || patient.records().any(Record::of_another_program);
    let sign = || {
        installed(patient)
            .map(|path| format!("{} is a different program of the same name", path.display()))
            .or_else(|| records().then(|| "a different program has written a record here".to_owned()))
    };
    finding(&patient.settings().routing.tmux.socket, sign).into_iter().collect()
}

/// Returns the notice for a name of a socket; a sign that the other program is in use comes first in it.
fn finding(socket: &str, sign: impl FnOnce() -> Option<String>) -> Option<Finding> {
    if socket.is_empty() {
        return None;
    }
    let it = sign().map_or_else(|| "the published Python program".to_owned(), |sign| format!("{sign}, and it"));
    let what = format!(
        "{it} does not know this key: it looks for sessions on the default tmux server, so starting a session with it \
         runs a second process on the same conversation"
    );
    let remedy = "start sessions with only one of the two programs, or leave `routing.tmux.socket` empty";
    Some(Finding::notice(Check::Config, "`routing.tmux.socket`", what, remedy))
}

/// Finds a `the-loop` on PATH that is a script, not this program.
fn installed(patient: &CheckContext<'_>) -> Option<PathBuf> {
    let here = &patient.context.surroundings;
    let ourselves = fs::metadata(here.exe()).ok().map(|meta| (meta.dev(), meta.ino()));
    std::env::split_paths(here.var("PATH")?).map(|dir| dir.join("the-loop")).find(|path| {
        let mut begins = [0; 4];
        let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut begins));
        let other = fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino())) != ourselves;
        read.is_ok() && other && begins != *ELF
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notice_appears_only_with_a_socket_of_its_own() {
        assert_eq!(finding("", || Some("a sign".to_owned())), None);
        let plain = finding("loop", || None).expect("a notice");
        assert!(plain.what.starts_with("the published Python program does not know this key"), "{plain:?}");
        let signed = finding("loop", || Some("a sign".to_owned())).expect("a notice");
        assert!(signed.what.starts_with("a sign, and it does not know this key"), "{signed:?}");
    }
}
