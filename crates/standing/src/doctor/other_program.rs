//! Check for another program of this name that uses the same folder and would not find its sessions.

use std::{fs, io::Read, os::unix::fs::MetadataExt, path::PathBuf};

use wire::{Check, Finding};

use super::CheckContext;
use crate::registry::Record;

/// First bytes of a machine-code program.
const ELF: &[u8] = b"\x7fELF";

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let socket = &patient.settings().routing.tmux.socket;
    if socket.is_empty() {
        return Vec::new();
    }
    let records = patient.records().any(Record::of_another_program);
    let Some(sign) = installed(patient)
        .map(|path| format!("{} is a different program of the same name", path.display()))
        .or_else(|| records.then(|| "a different program has written a record here".to_owned()))
    else {
        return Vec::new();
    };
    let what = format!(
        "{sign}, and it does not know this key: it looks for sessions on the default tmux server, so starting a \
         session with it runs a second process on the same conversation"
    );
    let remedy = "start sessions with only one of the two programs, or leave `routing.tmux.socket` empty";
    vec![Finding::notice(Check::Config, "`routing.tmux.socket`", what, remedy)]
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
