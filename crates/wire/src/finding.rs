//! Findings of a check of the machine.

use serde::{Deserialize, Serialize};

/// Subject of a check.
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
    Notify,
    Systemd,
    Terminal,
}

impl Check {
    /// Returns the published word.
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
            Self::Notify => "notify",
            Self::Systemd => "systemd",
            Self::Terminal => "terminal",
        }
    }
}

/// Importance of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something does not work, will fail, or is open to other users.
    Hazard,
    /// Worth knowing; the-loop itself works anyway.
    Notice,
}

/// Finding of a check, with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Subject of the check.
    pub check: Check,
    /// Importance of the finding.
    pub severity: Severity,
    /// Description of the problem, for people.
    pub what: String,
    /// File, process, session or variable with the problem.
    pub place: String,
    /// Remedy, for people.
    pub remedy: String,
}

impl Finding {
    /// Returns a finding that makes the check of the machine fail.
    pub fn hazard(check: Check, place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, severity: Severity::Hazard, what: what.into(), place: place.into(), remedy: remedy.into() }
    }

    /// Returns a finding for information only.
    pub fn notice(check: Check, place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: Severity::Notice, ..Self::hazard(check, place, what, remedy) }
    }
}
