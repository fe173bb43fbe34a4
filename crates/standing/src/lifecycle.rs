//! The verbs. Each has a file of its own; each resolves its session through the one definition seam, judges it by the
//! one state function, and, if it changes anything, holds the session's lock for as long as it works.
//!
//! The intent of a change is recorded before the act, so that whoever comes after a crash knows what to finish: see
//! [`settle`].

pub(crate) mod answer;
pub(crate) mod bind_thread;
mod context;
pub(crate) mod control;
pub(crate) mod create;
pub(crate) mod delete;
mod environment;
pub(crate) mod fields;
mod follow;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod orphan;
pub(crate) mod permit;
pub(crate) mod plan;
mod recognise;
pub(crate) mod reconcile;
mod recover;
pub(crate) mod restart;
pub(crate) mod restore;
mod row;
pub(crate) mod say;
pub(crate) mod screen;
pub(crate) mod session_of;
mod since;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod watch;

pub(crate) use context::Context;
