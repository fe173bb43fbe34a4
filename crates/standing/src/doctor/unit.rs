//! Whether the tmux server would end with a unit of systemd: whoever spawns a server in a unit has put every agent into
//! that unit.

use wire::{Check, Finding};

use super::Patient;
use crate::systemd::Unit;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(Some(server)) = &patient.server else { return Vec::new() };
    let Some(unit) = Unit::of(server.pid) else { return Vec::new() };
    let mode = unit.kill_mode(&patient.scope.surroundings);
    verdict(&unit, mode.as_deref(), server.pid).into_iter().collect()
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
}
