//! `the-loop service install`: writes the units and loads them into systemd.

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
    let files = Files::of(here).ok_or_else(|| refusal("could not write the unit: HOME is not set"))?;
    let before = files.ours().map_err(|NotOurs(path)| {
        refusal(format!(
            "{}: the-loop did not write this unit, so nothing was changed: move it away, or compare it with the \
             output of `the-loop service print`",
            path.display()
        ))
    })?;
    let runs = in_the_way(the_loop)?;
    let tell = |args: &[&str]| Manager::tell(here, args).map_err(refusal);
    // systemd holds an unwanted socket until it is stopped, and the unit must still exist for that.
    if manager == Manager::Answers && !args.socket && before.iter().any(|path| path.ends_with(SOCKET)) {
        tell(&["disable", "--now", SOCKET])?;
    }
    let written = files
        .write(&units)
        .map_err(|error| refusal(format!("{}: could not write the unit: {error}", files.service().display())))?;
    for path in &written {
        output.out(&format!("written  {}\n", path.display()));
    }
    let names: &[&str] = if args.socket { &[SOCKET, SERVICE, SESSIONS] } else { &[SERVICE, SESSIONS] };
    if manager == Manager::Silent {
        output.err(&format!(
            "could not reach systemd (no login session of this user, or a container), so the units are not started \
             yet. Once it answers, run:\n  systemctl --user daemon-reload\n  systemctl --user enable --now {}\n",
            names.join(" ")
        ));
        return Ok(1);
    }
    tell(&["daemon-reload"])?;
    if runs {
        // The new service must replace the old one. While the old one has the port, a socket cannot listen on it.
        tell(&["stop", SERVICE])?;
    }
    tell(&[&["enable", "--now"], names].concat())?;
    output.out("started  the service and the auto-start sessions, now and after every login\n");
    output.out(&told_of_linger(lingers(here)));
    output.out(
        "Show it with `the-loop status` and `journalctl --user -u the-loop`. Restart it with `systemctl --user \
         restart the-loop`; sessions keep running.\n",
    );
    Ok(0)
}

/// True if the service already runs as that unit. A service started in another way has the lock and the port.
fn in_the_way(the_loop: &TheLoop) -> Result<bool, Refusal> {
    let state_root = &the_loop.config().settings.state_root;
    let Ok(Some(holder)) = instance::running(state_root) else { return Ok(false) };
    if Unit::of(holder.pid).is_some_and(|unit| unit.name == SERVICE) {
        return Ok(true);
    }
    Err(refusal(format!(
        "the service is already running (pid {}), but not as a systemd unit: run `the-loop stop --service-only`, \
         then run this command again; sessions keep running",
        holder.pid
    )))
}

fn told_of_linger(lingers: Option<bool>) -> String {
    match lingers {
        Some(true) => {
            "Lingering is enabled for this user: it starts at boot and keeps running after logout.\n".to_owned()
        }
        Some(false) | None => "A user's units, tmux's scope among them, end with the last login of that user. To \
                               start them at boot and keep them running after logout, run `loginctl enable-linger`.\n"
            .to_owned(),
    }
}
