//! `the-loop service print`: the units as they would be written.

use standing::TheLoop;

use super::{Args, Output, Refusal, refusal};
use crate::service::systemd::{SERVICE, SOCKET, Units};

pub(super) fn run(the_loop: &TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let units = units(the_loop, args)?;
    if let Some(socket) = &units.socket {
        // Two files in one stream need their names.
        output.out(&format!("# {SERVICE}\n{}\n# {SOCKET}\n{socket}", units.service));
    } else {
        output.out(&units.service);
    }
    Ok(0)
}

/// The units, if the config can be used.
pub(super) fn units(the_loop: &TheLoop, args: Args) -> Result<Units, Refusal> {
    the_loop.config().standing().map_err(|problems| Refusal::mistake(problems.to_string()))?;
    Units::of(the_loop, args.socket).map_err(refusal)
}
