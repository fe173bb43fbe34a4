//! What starting, stopping or looking at everything found: the service, and the sessions beside it.

use serde::{Deserialize, Serialize};

use crate::Row;

/// What was done to a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceOutcome {
    /// It was started and said that it is ready.
    Started,
    /// It was running and was left untouched.
    AlreadyRunning,
    /// It was running and is no more.
    Stopped,
    /// There was nothing to stop.
    NotRunning,
    /// The config says that it is not to be started.
    Disabled,
    /// It did not come up, or did not end, for the reason given.
    Failed,
}

impl ServiceOutcome {
    /// The published word.
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

/// One service: what a verb did to it, or how it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRow {
    /// Its name; `service` for the one that carries REST and the page.
    pub service: String,
    /// `service.enabled`.
    pub enabled: bool,
    /// What a verb did to it; absent in a status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ServiceOutcome>,
    /// What there is to say of it, for a person.
    #[serde(default)]
    pub detail: String,
    /// Whether it runs now.
    #[serde(default)]
    pub running: bool,
    /// Its process id, 0 if it does not run.
    #[serde(default)]
    pub pid: u32,
    /// Where it is, empty if that is not known.
    #[serde(default)]
    pub url: String,
    /// Whether it answers; in a status only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healthy: Option<bool>,
    /// The version of the program that runs; in a status only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// The service and the sessions: what `the-loop start`, `stop`, `restart` and `status` tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleReport {
    /// The service.
    pub services: Vec<ServiceRow>,
    /// The sessions; one row `standingSessions` if the config cannot be used.
    pub standing_sessions: Vec<Row>,
    /// True if everything is as it should be.
    pub ok: bool,
    /// Result of the stop, for a restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Box<LifecycleReport>>,
}
