//! Islands: browser code added to a page that works without it. They are few and small, and render nothing that the
//! server renders.

pub mod enhance;
pub(crate) mod hint;

#[cfg(feature = "hydrate")]
mod browser;

pub use enhance::Enhance;
