//! Converts `notify`.

use std::{path::PathBuf, time::Duration};

use wire::{Need, SecretSource};

use super::Part;
use crate::model::{Notify, NotifyTarget, Quiet};

/// Kinds that are notified by default: all for which somebody has to act, without what passes on its own.
const KINDS: [Need; 9] = [
    Need::Prompt,
    Need::LoggedOut,
    Need::Exited,
    Need::Broken,
    Need::NoCredit,
    Need::ContextFull,
    Need::Refused,
    Need::Limited,
    Need::Stalled,
];

/// Default time limit of a command.
const LIMIT: Duration = Duration::from_secs(10);

/// Returns the usable entries.
pub(super) fn targets(root: &Part<'_>, path: &impl Fn(String) -> PathBuf) -> Vec<Notify> {
    let entries = root.value("notify").and_then(|list| list.as_array()).into_iter().flatten();
    entries.filter_map(|entry| one(&Part(Some(entry)), path)).collect()
}

fn one(entry: &Part<'_>, path: &impl Fn(String) -> PathBuf) -> Option<Notify> {
    let kinds = entry.texts("kinds").map(|words| words.iter().filter_map(|word| kind(word)).collect());
    let repeat = entry.span("repeat", 0.0, Duration::ZERO);
    Some(Notify {
        to: target(&entry.part("to"), path)?,
        kinds: kinds.unwrap_or_else(|| KINDS.to_vec()),
        after: entry.span("after", 0.0, Duration::ZERO),
        quiet: entry.filled("quiet").and_then(|text| Quiet::parse(&text)),
        sessions: entry.texts("sessions").unwrap_or_else(|| vec!["*".to_owned()]),
        repeat: (!repeat.is_zero()).then_some(repeat),
    })
}

fn kind(word: &str) -> Option<Need> {
    Need::ALL.iter().copied().find(|kind| kind.as_str() == word)
}

fn target(to: &Part<'_>, path: &impl Fn(String) -> PathBuf) -> Option<NotifyTarget> {
    let (ntfy, webhook, command) = (to.part("ntfy"), to.part("webhook"), to.part("command"));
    if let Some(url) = ntfy.filled("url") {
        return Some(NotifyTarget::Ntfy { url, token: secret(&ntfy.part("token"), path) });
    }
    if let Some(url) = webhook.filled("url") {
        return Some(NotifyTarget::Webhook { url, key: secret(&webhook.part("key"), path)? });
    }
    let argv = command.texts("argv").filter(|argv| !argv.is_empty())?;
    let limit = command.span("timeoutSeconds", 0.1, LIMIT);
    Some(NotifyTarget::Command { argv, dir: path(String::new()), limit })
}

fn secret(source: &Part<'_>, path: &impl Fn(String) -> PathBuf) -> Option<SecretSource> {
    if let Some(file) = source.filled("file") {
        return Some(SecretSource::File(path(file).display().to_string()));
    }
    source.texts("command").filter(|words| !words.is_empty()).map(SecretSource::Command)
}
