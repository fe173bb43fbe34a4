//! Islands: browser code added to a page that works without it. They are few and small, and render nothing that the
//! server renders.

pub mod enhance;
mod hint;
pub mod name_hint;

#[cfg(feature = "hydrate")]
mod browser;

pub use enhance::Enhance;
pub use name_hint::NameHint;
