//! Holder of the lock of a service, as it describes itself.

use serde::{Deserialize, Serialize};

/// Details that a service reports besides its PID.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    pid: u32,
    /// Address of the page, `http://host:port/…`.
    pub(crate) address: String,
    pub(crate) version: String,
    pub(crate) started_at: String,
}

impl Details {
    pub(super) fn of_this_process(address: &str) -> Self {
        Self {
            pid: std::process::id(),
            address: address.to_owned(),
            version: crate::VERSION.to_owned(),
            started_at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }

    pub(super) fn is_of(&self, pid: u32) -> bool {
        self.pid == pid
    }
}

/// Holder of the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockHolder {
    /// Process ID; 0 if it is not written yet.
    pub(crate) pid: u32,
    /// Details of the service; `None` if it has not written them yet, or is another program.
    pub(crate) details: Option<Details>,
}
