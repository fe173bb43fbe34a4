//! The service as a systemd user unit: its text, its files, and the calls to systemd.
//!
//! A unit that another program wrote is neither replaced nor removed. Steps that systemd cannot do here are described
//! to the caller.

mod files;
pub(crate) mod handover;
mod manager;
mod text;

pub(crate) use self::files::{Files, NotOurs};
pub(crate) use manager::{Manager, lingers};
pub(crate) use text::Units;

/// Unit of the service.
pub(crate) const SERVICE: &str = "the-loop.service";

/// Unit that starts the auto-start sessions: once after a boot or a login, not at each restart of the service. A
/// session that was stopped by hand stays stopped however often the service is killed.
pub(crate) const SESSIONS: &str = "the-loop-sessions.service";

/// Unit of the service's port.
pub(crate) const SOCKET: &str = "the-loop.socket";
