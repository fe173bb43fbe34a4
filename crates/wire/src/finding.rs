//! What an examination of a machine found.

use serde::{Deserialize, Serialize};

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the word for a part of the machine")]
pub enum Check {
    Config,
    Tmux,
    VersionSkew,
    Socket,
    Locale,
    Environment,
    Harness,
    Trust,
    Session,
    Record,
    Permissions,
    Disk,
    Clock,
    Port,
    Access,
    Service,
    Slack,
    Systemd,
}

impl Check {
    /// The published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Tmux => "tmux",
            Self::VersionSkew => "version-skew",
            Self::Socket => "socket",
            Self::Locale => "locale",
            Self::Environment => "environment",
            Self::Harness => "harness",
            Self::Trust => "trust",
            Self::Session => "session",
            Self::Record => "record",
            Self::Permissions => "permissions",
            Self::Disk => "disk",
            Self::Clock => "clock",
            Self::Port => "port",
            Self::Access => "access",
            Self::Service => "service",
            Self::Slack => "slack",
            Self::Systemd => "systemd",
        }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something does not work, will not, or is open to others.
    Hazard,
    /// Worth knowing; the-loop itself gets along with it.
    Notice,
}

/// One thing that was found, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at.
    pub check: Check,
    /// How much it matters.
    pub severity: Severity,
    /// What is the matter, for a person.
    pub what: String,
    /// The file, process, session or variable it was found at.
    pub place: String,
    /// What to do about it.
    pub remedy: String,
}

impl Finding {
    /// A finding that decides whether the machine is sound.
    pub fn hazard(check: Check, place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, severity: Severity::Hazard, what: what.into(), place: place.into(), remedy: remedy.into() }
    }

    /// A finding that does not.
    pub fn notice(check: Check, place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: Severity::Notice, ..Self::hazard(check, place, what, remedy) }
    }
}
