//! `the-loop service install`: the units written, and systemd told of them.

use standing::{TheLoop, Unit};

use super::{Args, Output, Refusal, elsewhere, print::units, refusal};
use crate::service::{
    instance,
    systemd::{Files, Manager, NotOurs, SERVICE, SESSIONS, SOCKET, lingers},
};

pub(super) fn run(the_loop: &TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let units = units(the_loop, args)?;
    let here = the_loop.surroundings();
    let manager = Manager::look(here);
    if manager == Manager::Missing {
        return Err(elsewhere(the_loop));
    }
    let files = Files::of(here).ok_or_else(|| refusal("HOME is not set: there is nowhere to write the unit"))?;
    let before = files.ours().map_err(|NotOurs(path)| {
        refusal(format!(
            "{}: somebody else wrote that unit, and nothing was changed: move it away, or compare it with what \
             `the-loop service print` says",
            path.display()
        ))
    })?;
    let runs = in_the_way(the_loop)?;
    let tell = |args: &[&str]| Manager::tell(here, args).map_err(refusal);
    // A socket that is not wanted any more is held until it is stopped, and its unit must still be there for that.
    if manager == Manager::Answers && !args.socket && before.iter().any(|path| path.ends_with(SOCKET)) {
        tell(&["disable", "--now", SOCKET])?;
    }
    let written = files
        .write(&units)
        .map_err(|error| refusal(format!("{}: the unit cannot be written: {error}", files.service().display())))?;
    for path in &written {
        output.out(&format!("written  {}\n", path.display()));
    }
    let names: &[&str] = if args.socket { &[SOCKET, SERVICE, SESSIONS] } else { &[SERVICE, SESSIONS] };
    if manager == Manager::Silent {
        output.err(&format!(
            "systemd does not answer here (no login session of this user, or a container), so the unit is not started \
             yet: once it does,\n  systemctl --user daemon-reload\n  systemctl --user enable --now {}\n",
            names.join(" ")
        ));
        return Ok(1);
    }
    tell(&["daemon-reload"])?;
    if runs {
        // It is to be the new one; and as long as the old one has the port, no socket can.
        tell(&["stop", SERVICE])?;
    }
    tell(&[&["enable", "--now"], names].concat())?;
    output.out("started  the service, and the sessions that start by themselves: now and after every login\n");
    output.out(&told_of_linger(lingers(here)));
    output.out(
        "See it with `the-loop status` and `journalctl --user -u the-loop`, restart it with `systemctl --user restart \
         the-loop`; no session notices.\n",
    );
    Ok(0)
}

/// Whether the service runs as that unit already; one that runs otherwise has the lock and the port.
fn in_the_way(the_loop: &TheLoop) -> Result<bool, Refusal> {
    let state_root = &the_loop.config().settings.state_root;
    let Ok(Some(holder)) = instance::running(state_root) else { return Ok(false) };
    if Unit::of(holder.pid).is_some_and(|unit| unit.name == SERVICE) {
        return Ok(true);
    }
    Err(refusal(format!(
        "the service runs already (pid {}), and not as a unit: `the-loop stop --service-only`, then this again; no \
         session notices",
        holder.pid
    )))
}

fn told_of_linger(lingers: Option<bool>) -> String {
    match lingers {
        Some(true) => "It goes on when you log out, and starts at boot: this user lingers.\n".to_owned(),
        Some(false) | None => "A user's units, tmux's scope among them, end with the last login of that user. To have \
                               them start at boot and go on without one: `loginctl enable-linger`.\n"
            .to_owned(),
    }
}
