//! Access: which requests are let in, by name, page, sender and rate, before anything is routed.
//!
//! [`guard`] is the one layer around every route. It asks the modules beside it and decides nothing about a session: who may
//! control sessions is the core's to say.

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
