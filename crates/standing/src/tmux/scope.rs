//! A scope of its own for a tmux server that is about to be spawned within a unit of systemd: a server belongs to the
//! unit of whoever spawned it, and the end of that unit must not be the end of every agent.

use std::{process::Command, time::Duration};

use super::{Answer, Tmux};
use process::{subprocess::ask, systemd::Unit};

use crate::notices;

/// What precedes a command that is to run in a scope of its own. It becomes that command once the scope is there.
const IN_A_SCOPE: [&str; 6] =
    ["systemd-run", "--user", "--scope", "--quiet", "--collect", "--description=tmux server of the-loop"];

/// One agent that runs out of memory must not take the others along: the kernel ends that one process, and the rest of
/// the scope goes on.
const CONTINUE: &str = "--property=OOMPolicy=continue";

/// Under pressure systemd is to end something else first.
const AVOID: &str = "--property=ManagedOOMPreference=avoid";

/// How long systemd may take to make a scope.
const LIMIT: Duration = Duration::from_secs(3);

impl Tmux {
    /// What the invocation that may spawn the server is to be preceded by: nothing but within a unit, where no server
    /// is yet and systemd grants scopes. Where it does not, the unit's `KillMode` decides, and `doctor` tells of it.
    pub(super) fn scope(&self) -> Vec<&'static str> {
        if !self.within_a_unit && Unit::of(std::process::id()).is_none() {
            return Vec::new();
        }
        match self.panes() {
            Answer::Said(panes) if panes.no_server => self.granted_scope(),
            _ => Vec::new(),
        }
    }

    /// The scope that systemd grants, with as many of the properties as its version knows.
    fn granted_scope(&self) -> Vec<&'static str> {
        if self.is_granted(&[CONTINUE, AVOID]).is_ok() {
            return in_a_scope(&[CONTINUE, AVOID]);
        }
        if let Err(reason) = self.is_granted(&[]) {
            tracing::warn!(%reason, "could not give the tmux server a scope of its own: it becomes part of this unit");
            return Vec::new();
        }
        let known: Vec<&'static str> =
            [CONTINUE, AVOID].into_iter().filter(|property| self.is_granted(&[property]).is_ok()).collect();
        for property in [CONTINUE, AVOID].iter().filter(|property| !known.contains(property)) {
            notices::tell(format!(
                "this systemd rejects `{}` for the scope of the tmux server: an agent that runs out of memory may \
                 end the others",
                property.trim_start_matches("--property=")
            ));
        }
        in_a_scope(&known)
    }

    /// Asked with a command that does nothing: one that was not granted must not be mistaken for tmux's own answer.
    fn is_granted(&self, properties: &[&'static str]) -> Result<(), String> {
        let words = in_a_scope(properties);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg("true").current_dir("/");
        command.env_clear().envs(self.env.iter().map(|(key, value)| (key, value)));
        ask(&mut command, LIMIT).map(drop)
    }
}

fn in_a_scope(properties: &[&'static str]) -> Vec<&'static str> {
    IN_A_SCOPE.iter().chain(properties).copied().chain(["--"]).collect()
}
