//! Settings of the notifications.

use std::{path::PathBuf, time::Duration};

use wire::{Need, SecretSource};

/// Entry of `notify`: a target, and the notifications that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notify {
    /// The target.
    pub to: NotifyTarget,
    /// Reasons that are notified.
    pub kinds: Vec<Need>,
    /// Time that a reason must last before the notification.
    pub after: Duration,
    /// Daily time without notifications.
    pub quiet: Option<Quiet>,
    /// Patterns of the sessions' names.
    pub sessions: Vec<String>,
    /// Time after which an open reason is notified again; `None`: never.
    pub repeat: Option<Duration>,
}

/// `notify[].to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotifyTarget {
    /// Topic of an ntfy server.
    Ntfy {
        /// Address of the topic. Everybody who knows it can read the notifications, so it is not shown.
        url: String,
        /// Source of the access token.
        token: Option<SecretSource>,
    },
    /// HTTP endpoint that gets signed JSON.
    Webhook {
        /// Address. It may contain a secret, so only its host is shown.
        url: String,
        /// Source of the key that signs.
        key: SecretSource,
    },
    /// Program that gets JSON on its standard input.
    Command {
        /// The program, then its arguments; never empty.
        argv: Vec<String>,
        /// Directory in which it runs: that of the project.
        dir: PathBuf,
        /// Time limit.
        limit: Duration,
    },
}

/// Daily time without notifications, in minutes after midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// First quiet minute.
    pub from: u16,
    /// First minute after it.
    pub to: u16,
}

impl Quiet {
    /// Parses `22:00-07:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let minute = |text: &str| {
            let (hours, minutes) = text.split_once(':')?;
            let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
            (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
        };
        let (from, to) = text.split_once('-')?;
        Some(Self { from: minute(from)?, to: minute(to)? })
    }

    /// True if a minute of the day is quiet. With two equal times, no minute is.
    pub const fn holds(self, minute: u16) -> bool {
        if self.from <= self.to {
            self.from <= minute && minute < self.to
        } else {
            self.from <= minute || minute < self.to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_time_may_include_midnight() {
        let night = Quiet::parse("22:30-07:00").expect("a time");
        assert!([1350, 1439, 0, 419].iter().all(|&minute| night.holds(minute)));
        assert!([420, 1349, 720].iter().all(|&minute| !night.holds(minute)));
        let noon = Quiet::parse("12:00-13:00").expect("a time");
        assert!(noon.holds(720) && !noon.holds(780) && !noon.holds(719));
        assert!(!Quiet::parse("12:00-12:00").expect("a time").holds(720));
        for wrong in ["", "12", "24:00-01:00", "1:60-2:00", "12:00"] {
            assert_eq!(Quiet::parse(wrong), None, "{wrong}");
        }
    }
}
