//! Host of standing sessions: the command line, the REST interface, and the service that serves the page.
//!
//! Surfaces are thin: each parses its input, calls the engine once, and formats the answer. Nothing in this crate
//! touches tmux, a record or a harness.

pub mod access;
pub mod assets;
mod doctor;
pub(crate) mod problem;
mod refusals;
pub mod router;
pub mod service;
mod surfaces;
mod upgraded;

pub use surfaces::{
    cli::run,
    mcp,
    rest::{self, openapi},
    slack,
};

/// Version that the health route reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version with the commit that it was built from, if that is known.
pub const VERSION_AND_COMMIT: &str = env!("THE_LOOP_VERSION");

/// Examples of the SDK's page, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/sdk.md")]
struct SdkPage;
