//! systemd, as far as the life of the tmux server depends on it: a server that is spawned by a unit belongs to that
//! unit, and ends with it unless the unit says otherwise.
//!
//! Which unit a process belongs to is read off its control group. Nothing here starts or stops a unit.

use std::{fs, process::Command, time::Duration};

use crate::{Surroundings, ask::ask, launcher::scrubbed};

/// How long systemd may take to answer.
const LIMIT: Duration = Duration::from_secs(3);

/// A service unit that a process belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its name: `the-loop.service`.
    pub name: String,
    /// Whether it is one of a user's own manager.
    pub user: bool,
}

impl Unit {
    /// The service unit that a process belongs to; `None` if it belongs to none, to a scope of its own for instance.
    pub fn of(pid: u32) -> Option<Self> {
        Self::in_cgroup(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
    }

    /// Out of `/proc/<pid>/cgroup`. With the older hierarchies systemd's own is the one that counts.
    fn in_cgroup(text: &str) -> Option<Self> {
        let path_of = |hierarchy: &str| text.lines().find_map(|line| line.split_once(hierarchy).map(|(_, path)| path));
        let path = path_of(":name=systemd:").filter(|path| *path != "/").or_else(|| path_of("0::"))?;
        let innermost = path
            .split('/')
            .rev()
            .find(|part| [".service", ".scope", ".slice"].iter().any(|kind| part.ends_with(kind)))?;
        // The manager of a user is a service itself, and ends no sooner than all it manages.
        let is_service = innermost.ends_with(".service") && !innermost.starts_with("user@");
        is_service.then(|| Self { name: innermost.to_owned(), user: path.contains("/user@") })
    }

    /// What systemd does to the other processes of the unit when it stops: its `KillMode`, if systemd tells.
    pub fn kill_mode(&self, here: &Surroundings) -> Option<String> {
        let mut command = command("systemctl", here);
        if self.user {
            command.arg("--user");
        }
        let told = ask(command.args(["show", "--property=KillMode", "--value", "--", &self.name]), LIMIT).ok()?;
        Some(told.trim().to_owned()).filter(|mode| !mode.is_empty())
    }
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
}
