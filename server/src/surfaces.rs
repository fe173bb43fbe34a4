//! Surfaces: each parses its input, calls the engine once, and formats the answer.
//!
//! No surface decides anything about a session, and none touches tmux, a record or a harness. The page, REST, MCP and
//! the event stream are routes of one service. The service also runs Slack and the
//! notifications. The command line needs no service.

pub(crate) mod cli;
pub mod mcp;
pub(crate) mod metrics;
pub(crate) mod notify;
pub(crate) mod page;
pub mod rest;
pub mod slack;
pub(crate) mod stream;
mod unreachable;
