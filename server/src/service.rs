//! The service as a process: one at a time, in the background or under systemd, and how it is started, asked to end
//! and looked at.
//!
//! What it serves is [`crate::host`]'s; nothing here knows a route or a session. Whether a service runs is told by
//! the lock on `<state.root>/local/service.pid`, and by a name in the kernel for a folder that was removed and made
//! again. The kernel drops both with whoever holds them.

pub(crate) mod alongside;
pub(crate) mod background;
pub(crate) mod inherited;
pub(crate) mod init;
pub(crate) mod instance;
pub(crate) mod log;
mod presence;
pub(crate) mod probe;
pub(crate) mod readiness;
pub(crate) mod stop;
pub(crate) mod systemd;
