//! Rules: which notifications a target gets, and when.

use std::time::Duration;

use serde_json::json;
use standing::config::{Notify, NotifyTarget, Quiet};
use wildmatch::WildMatch;
use wire::{Attention, Need};

use super::hash;

/// Rule of one target.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// Identity of the target, which stays when entries of the config are reordered.
    pub(super) target: String,
    kinds: Vec<Need>,
    pub(super) after: Duration,
    pub(super) quiet: Option<Quiet>,
    sessions: Vec<WildMatch>,
    pub(super) repeat: Option<Duration>,
}

impl Rule {
    /// Returns the rules of the config, in its order.
    pub(super) fn all(notify: &[Notify]) -> Vec<Self> {
        let mut rules: Vec<Self> = Vec::new();
        for entry in notify {
            let identity = identity(&entry.to);
            // Two entries may name the same target, each with its own rules.
            let same = rules.iter().filter(|rule| rule.target.split('.').next() == Some(&identity)).count();
            rules.push(Self {
                target: if same == 0 { identity } else { format!("{identity}.{same}") },
                kinds: entry.kinds.clone(),
                after: entry.after,
                quiet: entry.quiet,
                sessions: entry.sessions.iter().map(|pattern| WildMatch::new(pattern)).collect(),
                repeat: entry.repeat,
            });
        }
        rules
    }

    /// True if the target is notified of this.
    pub(super) fn wants(&self, entry: &Attention) -> bool {
        self.kinds.contains(&entry.kind)
            && entry.sessions.iter().any(|name| self.sessions.iter().any(|pattern| pattern.matches(name)))
    }
}

/// Returns a text that identifies a target and reveals nothing of it.
fn identity(target: &NotifyTarget) -> String {
    let text = match target {
        NotifyTarget::Ntfy { url, .. } => json!(["ntfy", url]),
        NotifyTarget::Webhook { url, .. } => json!(["webhook", url]),
        NotifyTarget::Command { argv, .. } => json!(["command", argv]),
    };
    hash::short(&text.to_string())
}
