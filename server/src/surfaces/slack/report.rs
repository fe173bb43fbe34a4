//! Reports the Slack connection from outside the service: from stored files, and from a lock that only the listener
//! holds.

use serde::Serialize;
use standing::{TheLoop, config::SlackRead};

use super::{
    folder::Folder,
    host::LISTENING,
    slowed::Slowed,
    status::{self, Hearing, Status},
};

/// State of the Slack connection.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Value of `channels.slack.enabled`.
    pub enabled: bool,
    /// Value of `channels.slack.read.mode`: `socket`, `poll` or `off`.
    pub mode: &'static str,
    /// Value of `channels.slack.channel`.
    pub channel: String,
    /// Number of members who may write to sessions.
    pub authorized_users: usize,
    /// True if a service runs the listener now.
    pub hosted: bool,
    /// True if replies are received now.
    pub hears: bool,
    /// Current or last status of the listener.
    pub listener: Option<Status>,
}

impl Report {
    /// Returns how Slack's rate limit slows the running service, if it does.
    pub fn slowed(&self) -> Option<&Slowed> {
        self.listener.as_ref().filter(|_| self.enabled && self.hosted)?.slowed.as_ref()
    }

    /// Returns the channels of a running service that have problems, with each problem.
    pub fn channel_problems(&self) -> impl Iterator<Item = (&str, &str)> {
        let listener = self.listener.iter().filter(|_| self.enabled && self.hosted);
        listener
            .flat_map(|listener| &listener.channel_problems)
            .map(|(channel, told)| (channel.as_str(), told.as_str()))
    }

    /// True if replies should be received and are not.
    pub fn is_deaf(&self) -> bool {
        self.enabled && self.mode != "off" && !self.hears
    }
}

/// Returns the state of the Slack connection of an instance.
pub fn report(the_loop: &TheLoop) -> Report {
    let config = the_loop.config();
    let slack = &config.settings.slack;
    let folder = Folder::below(&config.settings.state_root);
    let hosted = is_hosted(&folder);
    let listener = status::read(&folder).ok().flatten();
    let connected = listener.as_ref().is_some_and(|status| status.hearing == Hearing::Connected);
    Report {
        enabled: slack.enabled,
        mode: match slack.read {
            SlackRead::Socket => "socket",
            SlackRead::Poll => "poll",
            SlackRead::Off => "off",
        },
        channel: slack.channel.clone(),
        authorized_users: slack.authorized_users.len(),
        hosted,
        hears: slack.enabled && hosted && connected,
        listener,
    }
}

/// True if a process listens. The check creates no file.
pub(super) fn is_hosted(folder: &Folder) -> bool {
    folder.is_locked(LISTENING)
}
