//! Server functions: the targets of the page's forms, one file per verb.
//!
//! Each calls the core once and does nothing else. A browser without scripts (`Accept: text/html`) is redirected with
//! status 303 to the page that it came from, and its notice is on the board. The page's own scripts (`X-Part`) are
//! redirected to the notice alone. Any other caller gets the [`Answer`] as JSON, or a problem document. Input is
//! url-encoded, so that a plain form can post it.

pub mod answer;
pub mod create;
pub mod delete;
pub mod failure;
pub mod restart;
pub mod say;
pub mod selected;
pub mod start;
pub mod stop;
pub mod theme;

#[cfg(feature = "ssr")]
pub(crate) mod messages;
#[cfg(feature = "ssr")]
mod reply;
#[cfg(feature = "ssr")]
mod way_back;

pub use crate::create_form::{ArgsChoice, CreateForm};
pub use failure::Failure;

use serde::{Deserialize, Serialize};
use wire::{ControlReport, SayReceipt};

/// Path prefix of every server function.
pub const PREFIX: &str = "/app";

/// Answer of a server function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// Result of a verb; `ok` is true if it succeeded.
    Report(ControlReport),
    /// Receipt of a message.
    Receipt(SayReceipt),
    /// Receipts of one message to several sessions.
    Receipts(Vec<SayReceipt>),
}
