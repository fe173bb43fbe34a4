//! systemd facts that the life of the tmux server depends on. A server that a unit spawns belongs to that unit, and
//! ends with it unless the unit's settings prevent that.
//!
//! The control group of a process names its unit. Nothing here starts or stops a unit.

use std::{fs, process::Command, time::Duration};

use crate::{Surroundings, marks::scrubbed, subprocess::ask};

/// Timeout of a query to systemd.
const LIMIT: Duration = Duration::from_secs(3);

/// Service unit of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Name of the unit: `the-loop.service`.
    pub name: String,
    /// True if the unit belongs to a user's own manager.
    pub user: bool,
}

impl Unit {
    /// Returns the service unit of a process; `None` if it has none, for example in a scope of its own.
    pub fn of(pid: u32) -> Option<Self> {
        Self::in_cgroup(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
    }

    fn in_cgroup(text: &str) -> Option<Self> {
        let (path, innermost) = innermost(text)?;
        // A user's manager is a service itself, and ends no sooner than everything it manages.
        let is_service = innermost.ends_with(".service") && !innermost.starts_with("user@");
        is_service.then(|| Self { name: innermost.to_owned(), user: path.contains("/user@") })
    }

    /// Returns the unit's `KillMode`, if systemd tells it: the fate of its other processes when it stops.
    pub fn kill_mode(&self, here: &Surroundings) -> Option<String> {
        let mut command = command("systemctl", here);
        if self.user {
            command.arg("--user");
        }
        let told = ask(command.args(["show", "--property=KillMode", "--value", "--", &self.name]), LIMIT).ok()?;
        Some(told.trim().to_owned()).filter(|mode| !mode.is_empty())
    }
}

/// Returns the login session of a process, as `session-3.scope`, if it is in none of the session's units.
pub fn login_session_of(pid: u32) -> Option<String> {
    login_session_in(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
}

fn login_session_in(cgroup: &str) -> Option<String> {
    let (_, innermost) = innermost(cgroup)?;
    innermost.strip_prefix("session-")?.strip_suffix(".scope")?;
    Some(innermost.to_owned())
}

/// True if systemd ends the processes of a login session when its user logs out; `None` if it does not tell.
pub fn ends_what_a_login_leaves(here: &Surroundings) -> Option<bool> {
    const MANAGER: [&str; 3] = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"];
    let mut command = command("busctl", here);
    let told = ask(command.arg("get-property").args(MANAGER).arg("KillUserProcesses"), LIMIT).ok()?;
    told.trim().strip_prefix("b ")?.parse().ok()
}

/// Returns the path in `/proc/<pid>/cgroup` and the unit it leads to. With the older hierarchies systemd's own counts.
fn innermost(cgroup: &str) -> Option<(&str, &str)> {
    let path_of = |hierarchy: &str| cgroup.lines().find_map(|line| line.split_once(hierarchy).map(|(_, path)| path));
    let path = path_of(":name=systemd:").filter(|path| *path != "/").or_else(|| path_of("0::"))?;
    let is_unit = |part: &&str| [".service", ".scope", ".slice"].iter().any(|kind| part.ends_with(kind));
    Some((path, path.split('/').rev().find(is_unit)?))
}

fn command(program: &str, here: &Surroundings) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(scrubbed(here, &[])).current_dir("/");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(cgroup: &str) -> Option<(String, bool)> {
        Unit::in_cgroup(cgroup).map(|unit| (unit.name, unit.user))
    }

    #[test]
    fn a_unit_is_read_off_the_control_group() {
        let user = "/user.slice/user-1000.slice/user@1000.service";
        let of = |name: &str, user| Some((name.to_owned(), user));
        for (cgroup, expected) in [
            (format!("0::{user}/app.slice/the-loop.service\n"), of("the-loop.service", true)),
            (format!("0::{user}/app.slice/the-loop.service/below\n"), of("the-loop.service", true)),
            (format!("9:name=systemd:{user}/the-loop.service\n8:pids:/\n0::/\n"), of("the-loop.service", true)),
            ("0::/system.slice/cron.service\n".to_owned(), of("cron.service", false)),
            (format!("0::{user}/app.slice/run-r1.scope\n"), None),
            ("0::/user.slice/user-1000.slice/session-3.scope\n".to_owned(), None),
            (format!("0::{user}/init.scope\n"), None),
            (format!("0::{user}\n"), None),
            ("9:name=systemd:/\n0::/\n".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(unit(&cgroup), expected, "{cgroup}");
        }
    }

    #[test]
    fn a_login_session_is_read_off_it_as_well() {
        let session = "0::/user.slice/user-1000.slice/session-3.scope\n";
        assert_eq!(login_session_in(session).as_deref(), Some("session-3.scope"));
        for other in ["0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope\n", "0::/\n"] {
            assert_eq!(login_session_in(other), None, "{other}");
        }
    }
}
