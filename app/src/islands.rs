//! The islands: what the browser adds to a page that works without it. Few, and small; they render nothing that the
//! server renders.

pub mod enhance;
pub mod name_hint;

#[cfg(feature = "hydrate")]
mod browser;

pub use enhance::Enhance;
pub use name_hint::NameHint;
