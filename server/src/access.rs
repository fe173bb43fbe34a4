//! Access control: accepts or refuses requests by host name, origin, caller and rate, before they are routed.
//!
//! [`guard`] is the only layer around every route. It uses the modules beside it and decides nothing about a session:
//! the core decides which callers may control sessions.

pub(crate) mod auth;
mod forwarded;
pub(crate) mod guard;
mod names;
pub(crate) mod peer;
pub(crate) mod places;
pub(crate) mod rate_limit;
pub(crate) mod refusal;
mod signin;

pub(crate) use auth::leave_code;
pub use names::Access;
pub(crate) use names::{bracketed, vouches_too_far};
pub(crate) use peer::Listener;
pub use peer::Peer;
