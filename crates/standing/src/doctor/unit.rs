//! Check whether the tmux server would end with a systemd unit or a login. A server that was spawned inside one of them
//! takes every agent down when it ends.

use wire::{Check, Finding};

use super::CheckContext;
use process::systemd::{Unit, ends_what_a_login_leaves, login_session_of};

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let Ok(Some(server)) = &patient.server else { return Vec::new() };
    let (pid, here) = (server.pid, &patient.context.surroundings);
    let finding = match Unit::of(pid) {
        Some(unit) => verdict(&unit, unit.kill_mode(here).as_deref(), pid),
        None => login_session_of(pid).and_then(|session| of_a_login(&session, ends_what_a_login_leaves(here), pid)),
    };
    finding.into_iter().collect()
}

fn of_a_login(session: &str, ended: Option<bool>, pid: u32) -> Option<Finding> {
    (ended == Some(true)).then(|| {
        let what = format!(
            "runs in the login session {session}, and systemd is set to end its processes at logout: every agent \
             ends with them"
        );
        let remedy = "run `loginctl enable-linger`, stop all sessions, and let systemd start them (`the-loop service \
                      install`), which puts tmux in a scope of its own; or set `KillUserProcesses=no` in \
                      `logind.conf`";
        Finding::hazard(Check::Systemd, format!("the tmux server (pid {pid})"), what, remedy)
    })
}

fn verdict(unit: &Unit, kill_mode: Option<&str>, pid: u32) -> Option<Finding> {
    let why = match kill_mode {
        Some("process" | "none") => return None,
        Some(mode) => format!("whose `KillMode` is `{mode}`"),
        None => "whose `KillMode` could not be determined".to_owned(),
    };
    let name = &unit.name;
    let user = if unit.user { " --user" } else { "" };
    let what = format!("part of the unit {name}, {why}: stopping or restarting that unit ends every agent");
    let remedy = format!(
        "run `systemctl{user} edit {name}` and set `KillMode=process` under `[Service]`; the unit that `the-loop \
         service install` writes has this setting"
    );
    Some(Finding::hazard(Check::Systemd, format!("the tmux server (pid {pid})"), what, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_takes_tmux_along_is_a_hazard() {
        let unit = Unit { name: "ours.service".to_owned(), user: true };
        for mode in ["process", "none"] {
            assert_eq!(verdict(&unit, Some(mode), 7), None);
        }
        for mode in [Some("control-group"), Some("mixed"), None] {
            let finding = verdict(&unit, mode, 7).expect("a hazard");
            assert!(finding.remedy.contains("systemctl --user edit ours.service"), "{finding:?}");
        }
    }

    #[test]
    fn a_login_that_takes_tmux_along_is_one() {
        assert!(of_a_login("session-3.scope", Some(true), 7).is_some());
        for ended in [Some(false), None] {
            assert_eq!(of_a_login("session-3.scope", ended, 7), None);
        }
    }
}
