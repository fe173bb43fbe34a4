//! Reports of starting, stopping or checking everything: the service and the sessions.

use serde::{Deserialize, Serialize};

use crate::Row;

/// Result of a verb on a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceOutcome {
    /// It was started and reported that it is ready.
    Started,
    /// It was already running and was left untouched.
    AlreadyRunning,
    /// It was running and has been stopped.
    Stopped,
    /// It was not running.
    NotRunning,
    /// The config disables it.
    Disabled,
    /// It did not start or did not stop, for the reason given.
    Failed,
}

impl ServiceOutcome {
    /// Returns the published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::AlreadyRunning => "already-running",
            Self::Stopped => "stopped",
            Self::NotRunning => "not-running",
            Self::Disabled => "disabled",
            Self::Failed => "failed",
        }
    }
}

/// Service, with the result of a verb or its current status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRow {
    /// Name of the service; `service` for the one that serves REST and the page.
    pub service: String,
    /// Value of `service.enabled`.
    pub enabled: bool,
    /// Result of the verb; absent in a status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ServiceOutcome>,
    /// Detail, for people.
    #[serde(default)]
    pub detail: String,
    /// True if it is running now.
    #[serde(default)]
    pub running: bool,
    /// Process id, 0 if it is not running.
    #[serde(default)]
    pub pid: u32,
    /// URL, empty if unknown.
    #[serde(default)]
    pub url: String,
    /// True if it answers; in a status only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healthy: Option<bool>,
    /// Version of the running program; in a status only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// Service and sessions, as reported by `the-loop start`, `stop`, `restart` and `status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleReport {
    /// Services.
    pub services: Vec<ServiceRow>,
    /// Sessions; a single row `standingSessions` if the config is invalid.
    pub standing_sessions: Vec<Row>,
    /// True if the service and all sessions are as they should be.
    pub ok: bool,
    /// Result of the stop, for a restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Box<LifecycleReport>>,
}
