//! The surfaces: each parses what it was given, has the engine do one thing, and puts the answer in its own form.
//!
//! No surface decides anything about a session, and none touches tmux, a record or a harness. The page, REST, MCP and the
//! event stream are routes of one service; Slack is hosted by it; the command line needs none.

pub(crate) mod cli;
pub mod mcp;
pub(crate) mod metrics;
pub(crate) mod page;
pub mod rest;
pub mod slack;
pub(crate) mod stream;
