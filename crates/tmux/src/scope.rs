//! systemd scope for a tmux server that is about to be spawned inside a unit. A server belongs to the unit that spawned
//! it, and the end of that unit must not end every agent.

use std::{process::Command, time::Duration};

use process::{subprocess::ask, systemd::Unit};

use super::{Answer, Tmux};

/// Prefix of a command that runs in a scope of its own. It becomes that command once the scope exists.
const IN_A_SCOPE: [&str; 6] =
    ["systemd-run", "--user", "--scope", "--quiet", "--collect", "--description=tmux server of the-loop"];

/// Out-of-memory policy: one agent that runs out of memory must not end the others. The kernel ends that one process,
/// and the rest of the scope continues.
const CONTINUE: &str = "--property=OOMPolicy=continue";

/// Preference under memory pressure: systemd should end other processes first.
const AVOID: &str = "--property=ManagedOOMPreference=avoid";

/// Timeout of systemd for creating a scope.
const LIMIT: Duration = Duration::from_secs(3);

impl Tmux {
    /// Returns the prefix of an invocation that may spawn the server. It is empty, except inside a unit without a
    /// running server where systemd grants scopes. Where systemd does not, the unit's `KillMode` decides, and `doctor`
    /// reports it.
    pub(crate) fn scope(&self) -> Vec<&'static str> {
        if !self.within_a_unit && Unit::of(std::process::id()).is_none() {
            return Vec::new();
        }
        match self.panes() {
            Answer::Said(panes) if panes.no_server => self.granted_scope(),
            _ => Vec::new(),
        }
    }

    /// Returns the scope that systemd grants, with as many of the properties as its version knows.
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
            (self.observer.refused)(format!(
                "this systemd rejects `{}` for the scope of the tmux server: an agent that runs out of memory may \
                 end the others",
                property.trim_start_matches("--property=")
            ));
        }
        in_a_scope(&known)
    }

    /// Tests a scope with a command that does nothing: a refused scope must not be mistaken for tmux's own answer.
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
