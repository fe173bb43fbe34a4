//! The host of standing sessions: the command line, the REST interface, and the service that carries the page.
//!
//! Surfaces are thin: each parses what it was given, calls one verb of [`standing::TheLoop`], and puts the answer in
//! its own form. Nothing in this crate touches tmux, a record or a harness.

pub mod assets;
mod cli;
mod doctor;
pub mod host;
pub mod mcp;
mod metrics;
pub mod openapi;
mod page;
pub mod rest;
mod service;
pub mod slack;
mod stream;

pub use cli::run;

/// The version that the health route tells.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The same with the commit that it was built from, where that was known.
pub const VERSION_AND_COMMIT: &str = env!("THE_LOOP_VERSION");

/// The examples of the SDK's page, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/sdk.md")]
struct SdkPage;
