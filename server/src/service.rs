//! The service as a process: one at a time, in the background or under systemd, and how it is started, asked to end
//! and looked at.
//!
//! What it serves is [`crate::host`]'s; nothing here knows a route or a session. Whether a service runs is told by
//! one fact alone, the lock on `<state.root>/local/service.pid`, which the kernel drops with whoever holds it.

pub(crate) mod alongside;
pub(crate) mod background;
pub(crate) mod inherited;
pub(crate) mod instance;
pub(crate) mod log;
pub(crate) mod probe;
pub(crate) mod readiness;
pub(crate) mod stop;
pub(crate) mod systemd;
