//! Server functions: the targets of the page's forms, one file per verb.
//!
//! Each calls the core once and does nothing else. A browser without scripts (`Accept: text/html`) is redirected to the
//! page with status 303, and its notice is on the board. Any other caller gets the [`Answer`] as JSON, with the status
//! of the problem if there is one. Input is url-encoded, so that a plain form can post it.

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

/// Path prefix of every server function.
pub const PREFIX: &str = "/app";

/// Fields of a form that keep the filter of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Back {
    /// Text of the filter.
    #[serde(default)]
    pub q: String,
    /// `declared`, `created`, or empty for both.
    #[serde(default)]
    pub show: String,
}

/// Answer of a server function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// Result of a verb; `ok` is true if it succeeded.
    Report(ControlReport),
    /// Receipt of a message.
    Receipt(SayReceipt),
    /// Refusal of the core.
    Refused(Problem),
}
