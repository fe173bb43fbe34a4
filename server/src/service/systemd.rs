//! The service as a user unit of systemd: the unit's text, where it lies, and how systemd is told of it.
//!
//! A unit that somebody else wrote is neither replaced nor removed. What systemd itself does not do here, the caller is
//! told how to do.

mod files;
mod manager;
mod text;

pub(crate) use files::{Files, NotOurs};
pub(crate) use manager::{Manager, lingers};
pub(crate) use text::Units;

/// The service's unit.
pub(crate) const SERVICE: &str = "the-loop.service";

/// The unit of its port.
pub(crate) const SOCKET: &str = "the-loop.socket";
