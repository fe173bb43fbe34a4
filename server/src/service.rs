//! The service as a process: one at a time, in the background or under systemd, and how it is started, asked to end
//! and looked at.
//!
//! What it serves is [`crate::router`]'s; nothing here knows a route or a session. Whether a service runs is told by
//! the lock on `<state.root>/local/service.pid`, and by a name in the kernel for a folder that was removed and made
//! again. The kernel drops both with whoever holds them.

mod accept;
pub(crate) mod alongside;
pub(crate) mod background;
mod half_closed;
pub(crate) mod inherited;
pub(crate) mod init;
pub(crate) mod instance;
pub(crate) mod log;
mod presence;
pub(crate) mod probe;
pub(crate) mod readiness;
pub mod serve;
pub(crate) mod stop;
pub(crate) mod systemd;
