//! The verbs, one file each. Each verb resolves its session to a definition, evaluates its state with `state::judge`,
//! and, if it changes anything, holds the session's lock until it ends.
//!
//! The intent of a change is recorded before the change, so that after a crash the next verb knows what to finish:
//! see [`recover`].

pub(crate) mod answer;
mod context;
pub(crate) mod control;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod detail;
pub(crate) mod details;
mod environment;
pub(crate) mod explain;
pub(crate) mod fields;
mod follow;
pub(crate) mod get;
pub(crate) mod history;
pub(crate) mod list;
mod news;
mod obstacle;
pub(crate) mod orphan;
pub(crate) mod pane;
pub(crate) mod permit;
pub(crate) mod plan;
pub(crate) mod recognise;
pub(crate) mod reconcile;
mod recover;
pub(crate) mod restore;
mod row;
pub(crate) mod say;
pub(crate) mod screen;
mod since;
pub(crate) mod start;
pub(crate) mod stop;
pub(crate) mod terminal;
pub(crate) mod turn;
pub(crate) mod watch;
mod witness;

pub(crate) use context::Context;
