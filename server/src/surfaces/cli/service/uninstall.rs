//! `the-loop service uninstall`: the service stopped, the units removed. Sessions are not touched.

use standing::TheLoop;

use super::{Output, Refusal, refusal};
use crate::service::systemd::{Files, Manager, NotOurs};

pub(super) fn run(the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
    let here = the_loop.surroundings();
    let files = Files::of(here).ok_or_else(|| refusal("HOME is not set: there is nowhere to look for the unit"))?;
    let found = files.ours().map_err(|NotOurs(path)| {
        refusal(format!("{}: somebody else wrote that unit, and it was left alone", path.display()))
    })?;
    if found.is_empty() {
        output.out(&format!("there is no unit at {}: nothing to do\n", files.service().display()));
        return Ok(0);
    }
    let answers = Manager::look(here) == Manager::Answers;
    if answers {
        // The port first: a connection to it would start the service again.
        let mut names: Vec<&str> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        names.reverse();
        Manager::tell(here, &[&["disable", "--now"], names.as_slice()].concat()).map_err(refusal)?;
    }
    files.remove().map_err(|error| refusal(format!("{}: it cannot be removed: {error}", files.service().display())))?;
    for path in &found {
        output.out(&format!("removed  {}\n", path.display()));
    }
    if answers {
        Manager::tell(here, &["daemon-reload"]).map_err(refusal)?;
        output.out("The service is stopped; sessions go on, and `the-loop start` puts a service in the background.\n");
        return Ok(0);
    }
    output.err("systemd does not answer here: once it does, `systemctl --user daemon-reload`\n");
    Ok(1)
}
