//! The host of standing sessions: the command line, the REST interface, and the service that carries the page.
//!
//! Surfaces are thin: each parses what it was given, has the engine do one thing, and puts the answer in its own form.
//! Nothing in this crate touches tmux, a record or a harness.

pub mod access;
pub mod assets;
mod doctor;
pub mod openapi;
pub(crate) mod problem;
pub mod router;
pub mod service;
mod surfaces;

pub use surfaces::{cli::run, mcp, rest, slack};

/// The version that the health route tells.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The same with the commit that it was built from, where that was known.
pub const VERSION_AND_COMMIT: &str = env!("THE_LOOP_VERSION");

/// The examples of the SDK's page, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/sdk.md")]
struct SdkPage;
