//! The server functions: what the page's forms post to, one file a verb.
//!
//! Each calls the core once and does nothing else. A browser without scripts (`Accept: text/html`) is sent back to
//! the page by a 303, with a notice on the board; any other caller gets the [`Answer`] as JSON with the status of the
//! problem, if there is one. Input is url-encoded, so that a plain form can post it.

pub mod answer;
pub mod create;
pub mod delete;
pub mod restart;
pub mod say;
pub mod start;
pub mod stop;
pub mod theme;

#[cfg(feature = "ssr")]
pub(crate) mod messages;
#[cfg(feature = "ssr")]
mod reply;

pub use create::{ArgsChoice, CreateForm};

use serde::{Deserialize, Serialize};
use wire::{ControlReport, Problem, SayReceipt};

/// Where every server function is mounted.
pub const PREFIX: &str = "/app";

/// What a form carries along so that the page it comes back to shows the same sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Back {
    /// The text of the filter.
    #[serde(default)]
    pub q: String,
    /// `declared`, `created`, or nothing for both.
    #[serde(default)]
    pub show: String,
}

/// What a server function answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// What a verb did; `ok` tells whether it succeeded.
    Report(ControlReport),
    /// What became of a message.
    Receipt(SayReceipt),
    /// The core refused.
    Refused(Problem),
}
