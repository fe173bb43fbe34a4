//! `the-loop service print`: prints the units that `install` would write.

use standing::TheLoop;

use super::{Args, Output, Refusal, refusal};
use crate::service::systemd::{SERVICE, SESSIONS, SOCKET, Units};

pub(super) fn run(the_loop: &TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let units = units(the_loop, args)?;
    // Several files in one stream need their names.
    let files = [(SERVICE, Some(&units.service)), (SESSIONS, Some(&units.sessions)), (SOCKET, units.socket.as_ref())];
    let texts = files.into_iter().filter_map(|(name, text)| Some(format!("# {name}\n{}", text?)));
    output.out(&texts.collect::<Vec<_>>().join("\n"));
    Ok(0)
}

/// Returns the units, if the config is valid.
pub(super) fn units(the_loop: &TheLoop, args: Args) -> Result<Units, Refusal> {
    the_loop.config().standing().map_err(|problems| Refusal::mistake(problems.to_string()))?;
    Units::of(the_loop, args.socket).map_err(refusal)
}
