//! Starts and stops the service through systemd where a unit is installed. Without this, a background service would
//! take the place of the unit, and systemd would not restart it.

use standing::{Surroundings, TheLoop, Unit};

use super::{Files, Manager, SERVICE, SOCKET};

/// Starts the service through systemd; `None` if this instance has no unit of the-loop, or systemd does not answer.
pub(crate) fn start(the_loop: &TheLoop) -> Option<Result<(), String>> {
    let here = the_loop.surroundings();
    let files = Files::of(here)?;
    if !files.are_of(the_loop) || Manager::look(here) != Manager::Answers {
        return None;
    }
    let told = Manager::tell(here, &[&["start"], units(&files).as_slice()].concat());
    Some(told.map_err(|error| format!("{error}; see `journalctl --user -u the-loop`")))
}

/// Stops the service through systemd; `None` if that process does not belong to a unit of the-loop.
pub(crate) fn stop(here: &Surroundings, pid: u32) -> Option<Result<(), String>> {
    let unit = Unit::of(pid).filter(|unit| unit.user && unit.name == SERVICE)?;
    let names = Files::of(here).map_or_else(|| vec![unit.name.as_str()], |files| units(&files));
    Some(Manager::tell(here, &[&["stop"], names.as_slice()].concat()))
}

/// The port comes first: a connection to it would start the service again.
fn units(files: &Files) -> Vec<&'static str> {
    if files.socket().exists() { vec![SOCKET, SERVICE] } else { vec![SERVICE] }
}
