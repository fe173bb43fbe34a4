//! `the-loop service uninstall`: stops the service and removes the units. Sessions keep running.

use standing::TheLoop;

use super::{Output, Refusal, refusal};
use crate::service::systemd::{Files, Manager, NotOurs};

pub(super) fn run(the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
    let here = the_loop.surroundings();
    let files = Files::of(here).ok_or_else(|| refusal("could not find the unit: HOME is not set"))?;
    let found = files.ours().map_err(|NotOurs(path)| {
        refusal(format!("{}: the-loop did not write this unit, so it was not changed", path.display()))
    })?;
    if found.is_empty() {
        output.out(&format!("no unit at {}: nothing to do\n", files.service().display()));
        return Ok(0);
    }
    let answers = Manager::look(here) == Manager::Answers;
    if answers {
        // The port comes first: a connection to it would start the service again.
        let mut names: Vec<&str> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        names.reverse();
        Manager::tell(here, &[&["disable", "--now"], names.as_slice()].concat()).map_err(refusal)?;
    }
    files.remove().map_err(|error| refusal(format!("{}: could not remove it: {error}", files.service().display())))?;
    for path in &found {
        output.out(&format!("removed  {}\n", path.display()));
    }
    if answers {
        Manager::tell(here, &["daemon-reload"]).map_err(refusal)?;
        output.out(
            "The service is stopped. Sessions keep running. To start the service in the background, run \
                    `the-loop start`.\n",
        );
        return Ok(0);
    }
    output.err("could not reach systemd: once it answers, run `systemctl --user daemon-reload`\n");
    Ok(1)
}
