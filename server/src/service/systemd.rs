//! The service as a user unit of systemd: the unit's text, where it lies, and how systemd is told of it.
//!
//! A unit that somebody else wrote is neither replaced nor removed. What systemd itself does not do here, the caller is
//! told how to do.

mod files;
pub(crate) mod handover;
mod manager;
mod text;

pub(crate) use self::files::{Files, NotOurs};
pub(crate) use manager::{Manager, lingers};
pub(crate) use text::Units;

/// The service's unit.
pub(crate) const SERVICE: &str = "the-loop.service";

/// The unit that starts the sessions that start by themselves: once after a boot or a login, not whenever the service
/// is started anew. One that was stopped by hand stays stopped however often the service is killed.
pub(crate) const SESSIONS: &str = "the-loop-sessions.service";

/// The unit of its port.
pub(crate) const SOCKET: &str = "the-loop.socket";
