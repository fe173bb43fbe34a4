//! Starting and ending the service through systemd, where it is systemd's: beside a unit, a service in the background
//! would have its place, and nobody would start it anew.

use standing::{Surroundings, TheLoop, Unit};

use super::{Files, Manager, SERVICE, SOCKET};

/// Has systemd start it; `None` if this instance has no unit of ours, or nobody who would start it.
pub(crate) fn start(the_loop: &TheLoop) -> Option<Result<(), String>> {
    let here = the_loop.surroundings();
    let files = Files::of(here)?;
    if !files.are_of(the_loop) || Manager::look(here) != Manager::Answers {
        return None;
    }
    let told = Manager::tell(here, &[&["start"], units(&files).as_slice()].concat());
    Some(told.map_err(|error| format!("{error}; see `journalctl --user -u the-loop`")))
}

/// Has systemd end it; `None` if that process is no unit of ours.
pub(crate) fn stop(here: &Surroundings, pid: u32) -> Option<Result<(), String>> {
    let unit = Unit::of(pid).filter(|unit| unit.user && unit.name == SERVICE)?;
    let names = Files::of(here).map_or_else(|| vec![unit.name.as_str()], |files| units(&files));
    Some(Manager::tell(here, &[&["stop"], names.as_slice()].concat()))
}

/// The port first: a connection to it would start the service again.
fn units(files: &Files) -> Vec<&'static str> {
    if files.socket().exists() { vec![SOCKET, SERVICE] } else { vec![SERVICE] }
}
