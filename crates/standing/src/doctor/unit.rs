//! Whether the tmux server would end with a unit of systemd, or with a login: whoever spawns a server in one of them has
//! put every agent into it.

use wire::{Check, Finding};

use super::Patient;
use process::systemd::{Unit, ends_what_a_login_leaves, login_session_of};

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(Some(server)) = &patient.server else { return Vec::new() };
    let (pid, here) = (server.pid, &patient.scope.surroundings);
    let finding = match Unit::of(pid) {
        Some(unit) => verdict(&unit, unit.kill_mode(here).as_deref(), pid),
        None => login_session_of(pid).and_then(|session| of_a_login(&session, ends_what_a_login_leaves(here), pid)),
    };
    finding.into_iter().collect()
}

fn of_a_login(session: &str, ended: Option<bool>, pid: u32) -> Option<Finding> {
    (ended == Some(true)).then(|| {
        let what = format!(
            "it belongs to the login {session}, and systemd ends what a login leaves: every agent ends with it"
        );
        let remedy = "`loginctl enable-linger`, then stop every session and have systemd start them (`the-loop service \
                      install`): tmux is then in a scope of its own; or `KillUserProcesses=no` in `logind.conf`";
        Finding::hazard(Check::Systemd, format!("the tmux server (pid {pid})"), what, remedy)
    })
}

fn verdict(unit: &Unit, kill_mode: Option<&str>, pid: u32) -> Option<Finding> {
    let why = match kill_mode {
        Some("process" | "none") => return None,
        Some(mode) => format!("whose `KillMode` is `{mode}`"),
        None => "whose `KillMode` could not be asked for".to_owned(),
    };
    let name = &unit.name;
    let user = if unit.user { " --user" } else { "" };
    let what = format!("it belongs to the unit {name}, {why}: to stop or restart that unit ends every agent");
    let remedy = format!(
        "`systemctl{user} edit {name}`, with `[Service]` and `KillMode=process`; `the-loop service install` writes a \
         unit that leaves tmux alone"
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
