//! Targets: one type over the kinds of them.

use standing::config::NotifyTarget;

use super::{
    command::Command,
    failure::Failure,
    http::parse,
    note::Note,
    ntfy::Ntfy,
    secret::{Environment, Secret},
    webhook::Webhook,
};

/// Target with its kind.
#[derive(Debug)]
pub(super) enum Target {
    Ntfy(Ntfy),
    Webhook(Webhook),
    Command(Command),
}

impl Target {
    /// Returns a target of the config. An error is a description for people.
    pub(super) fn of(target: &NotifyTarget, environment: &Environment) -> Result<Self, String> {
        Ok(match target {
            NotifyTarget::Ntfy { url, token } => {
                let token = token.as_ref().map(|source| Secret::new(source, environment));
                Self::Ntfy(Ntfy::new(&parse(url)?, token)?)
            }
            NotifyTarget::Webhook { url, key } => {
                Self::Webhook(Webhook::new(parse(url)?, Secret::new(key, environment))?)
            }
            NotifyTarget::Command { argv, dir, limit } => Self::Command(Command {
                argv: argv.clone(),
                dir: dir.clone(),
                limit: *limit,
                environment: environment.clone(),
            }),
        })
    }

    /// Sends a notification.
    pub(super) async fn send(&self, note: &Note) -> Result<(), Failure> {
        match self {
            Self::Ntfy(ntfy) => ntfy.send(note).await,
            Self::Webhook(webhook) => webhook.send(note).await,
            Self::Command(command) => command.send(note).await,
        }
    }
}

/// Describes a target for people: its kind and host, or its program.
pub(super) fn described(target: &NotifyTarget) -> String {
    let host = |url: &str| parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    match target {
        NotifyTarget::Ntfy { url, .. } => format!("ntfy at {}", host(url)),
        NotifyTarget::Webhook { url, .. } => format!("webhook at {}", host(url)),
        NotifyTarget::Command { argv, .. } => {
            format!("command `{}`", argv.first().map_or("", String::as_str))
        }
    }
}
