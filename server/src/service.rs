//! The service as a process: one at a time, in the background or under systemd, with its start, stop and status.
//!
//! [`crate::router`] defines its routes; this module knows neither routes nor sessions. A running service is recognised
//! by the lock on `<state.root>/local/service.pid`, and by a name in the kernel for a folder that was removed and
//! recreated. The kernel drops both when the process ends.

mod accept;
pub(crate) mod alongside;
pub(crate) mod background;
mod half_closed;
mod holder;
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
