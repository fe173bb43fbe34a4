//! Checks that the program contains the terminal that the config enables.

use standing::{Check, Finding, TheLoop};

use crate::surfaces::page::terminal;

pub(super) fn check(the_loop: &TheLoop) -> Option<Finding> {
    let config = the_loop.config();
    let what = terminal::missing(&config.settings)?;
    let place = config.path.file().display().to_string();
    let remedy = "build it with `cargo xtask build` where `npm` is on PATH, or set the key to false";
    Some(Finding::notice(Check::Terminal, place, what, remedy))
}
