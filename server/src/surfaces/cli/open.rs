//! `the-loop open`: prints the page's address, with a one-time code in token mode.

use standing::{TheLoop, config::AuthMode};

use super::{Output, Refusal, sanitize};
use crate::{
    access,
    service::{instance, probe, serve},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop open      print the address of the Standing screen
  xdg-open \"$(the-loop open)\"

Prints the address of the running service, or the configured address if none is running.
With `service.auth.mode: token`, the address contains a code that signs in one browser and expires
after five minutes.";

pub(super) fn run(the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
    let config = the_loop.config();
    let settings = config.standing().map_err(|problems| Refusal::mistake(problems.to_string()))?;
    let running = instance::running(&settings.state_root).ok().flatten().and_then(|holder| holder.details);
    let running = running.as_ref().and_then(|details| probe::authority(&details.address));
    if running.is_none() {
        output.err("the service is not running; start it with `the-loop start`. Its address will be:\n");
    }
    let base = running.map_or_else(
        || format!("http://{}:{}/", serve::shown(&settings.service.host), settings.service.port),
        |authority| format!("http://{}/", sanitize::line(authority)),
    );
    let address = match settings.service.auth_mode {
        AuthMode::Token => {
            standing::state_folder::make(&settings.state_root)?;
            let code = access::leave_code(&settings.state_root).map_err(|error| {
                Refusal::failure(format!(
                    "{}: could not write the sign-in code: {error}",
                    settings.state_root.display()
                ))
            })?;
            format!("{base}#code={code}")
        }
        AuthMode::SameUser | AuthMode::None => format!("{base}#/standing"),
    };
    output.out(&format!("{address}\n"));
    Ok(0)
}
