//! A scope of its own for a tmux server that is about to be spawned within a unit of systemd: a server belongs to the
//! unit of whoever spawned it, and the end of that unit must not be the end of every agent.

use std::{process::Command, time::Duration};

use super::{Answer, Tmux};
use crate::{ask::ask, systemd::Unit};

/// What precedes a command that is to run in a scope of its own. It becomes that command once the scope is there.
const IN_A_SCOPE: [&str; 7] =
    ["systemd-run", "--user", "--scope", "--quiet", "--collect", "--description=tmux server of the-loop", "--"];

/// How long systemd may take to make a scope.
const LIMIT: Duration = Duration::from_secs(3);

impl Tmux {
    /// What the invocation that may spawn the server is to be preceded by: nothing but within a unit, where no server
    /// is yet and systemd grants scopes. Where it does not, the unit's `KillMode` decides, and `doctor` tells of it.
    pub(super) fn scope(&self) -> &'static [&'static str] {
        if !self.within_a_unit && Unit::of(std::process::id()).is_none() {
            return &[];
        }
        match self.panes() {
            Answer::Said(panes) if panes.no_server && self.is_granted_scopes() => &IN_A_SCOPE,
            _ => &[],
        }
    }

    /// Asked with a command that does nothing: one that was not granted must not be mistaken for tmux's own answer.
    fn is_granted_scopes(&self) -> bool {
        let mut command = Command::new(IN_A_SCOPE[0]);
        command.args(&IN_A_SCOPE[1..]).arg("true").current_dir("/");
        command.env_clear().envs(self.env.iter().map(|(key, value)| (key, value)));
        let granted = ask(&mut command, LIMIT);
        if let Err(reason) = &granted {
            tracing::warn!(%reason, "the tmux server becomes part of this unit: it cannot have a scope of its own");
        }
        granted.is_ok()
    }
}
