//! Notifications: tells the targets of `notify` when a session needs somebody, and withdraws it when it is over.
//!
//! The service runs this part; no other process sends notifications. The needs are those of [`wire::attention`], and
//! nothing here decides whether a session needs somebody. While nothing is configured, it does not watch the sessions.
//!
//! A failure here never prevents a session from running. A target that is slow or gone delays no other. A secret is
//! never in a log, an event or a message of an error.
//!
//! | part | job |
//! |---|---|
//! | [`host()`] | life of the notifications in the service |
//! | `episodes`, `rule` | decide what is sent to which target, and when: pure |
//! | `kept` | keeps the episodes through a crash |
//! | `note` | texts of a notification, and its JSON |
//! | `target`, `ntfy`, `webhook`, `command` | send a notification |
//! | `secret` | reads the secrets of the targets |
//! | `links`, `answer` | answer links: their tokens, and the page that they lead to |
//! | [`test()`], [`check()`] | functions for the command line and the check of the machine |

mod answer;
mod check;
mod command;
mod episodes;
mod failure;
mod folder;
mod hash;
mod host;
mod http;
mod kept;
mod links;
mod note;
mod ntfy;
mod rule;
mod secret;
mod target;
mod test;
mod webhook;

pub(crate) use answer::{is_link, router};
pub(crate) use check::check;
pub(crate) use host::host;
pub(crate) use test::{Sent, test};
