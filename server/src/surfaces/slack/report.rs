//! Whether Slack is heard, told from outside of the service: by what is kept, and by a lock that only one who listens
//! holds.

use serde::Serialize;
use standing::{TheLoop, config::SlackRead};

use super::{
    folder::Folder,
    host::LISTENING,
    slowed::Slowed,
    status::{self, Hearing, Status},
};

/// How it stands with Slack.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// `channels.slack.enabled`.
    pub enabled: bool,
    /// `channels.slack.read.mode`: `socket`, `poll` or `off`.
    pub mode: &'static str,
    /// `channels.slack.channel`.
    pub channel: String,
    /// How many members may speak.
    pub authorized_users: usize,
    /// True if a service hosts the listener now.
    pub hosted: bool,
    /// True if replies are heard now.
    pub hears: bool,
    /// What the listener says of itself, or said last.
    pub listener: Option<Status>,
}

impl Report {
    /// How a service's reading is slowed by Slack's rate limit, if it is.
    pub fn slowed(&self) -> Option<&Slowed> {
        self.listener.as_ref().filter(|_| self.enabled && self.hosted)?.slowed.as_ref()
    }

    /// What goes wrong in which channel, by a service that runs.
    pub fn channel_problems(&self) -> impl Iterator<Item = (&str, &str)> {
        let listener = self.listener.iter().filter(|_| self.enabled && self.hosted);
        listener
            .flat_map(|listener| &listener.channel_problems)
            .map(|(channel, told)| (channel.as_str(), told.as_str()))
    }

    /// True if replies should be heard and are not.
    pub fn is_deaf(&self) -> bool {
        self.enabled && self.mode != "off" && !self.hears
    }
}

/// How it stands with Slack in an instance.
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

/// True if a process listens. Nothing is made by asking.
pub(super) fn is_hosted(folder: &Folder) -> bool {
    folder.is_locked(LISTENING)
}
