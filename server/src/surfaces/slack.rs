//! Slack: every standing session that asks for it has one thread, in which those who may speak to it do.
//!
//! The service hosts the listener; nobody else listens. What is heard goes through one pipeline, in which everything
//! is closed unless it is opened: the thread must be bound, the author a person and on the list, and the words go to
//! the session by the same `say` as from every other surface. A session never speaks here by itself: what is posted is
//! the announcement, receipts, a question that it waits on, and its screen for those who ask.
//!
//! Nothing here may keep a session from starting or running, and no token is ever told anywhere.
//!
//! | part | job |
//! |---|---|
//! | [`host()`] | the listener's life in the service |
//! | `socket`, `reading`, `turns` | hearing |
//! | `message`, `content` | what a message is, and what it holds |
//! | `receive`, `gate`, `lanes`, `deliver` | from what was heard to a session's pane |
//! | `inbox`, `kept` | what was accepted, through any crash |
//! | `watch`, `announce`, `questions` | what the sessions do that is to be told |
//! | `outbox`, `words`, `entities` | telling it |
//! | [`settle()`], [`report()`], [`round_trip()`] | what the command line needs of it |
//! | `threads`, `status`, `slowed`, `folder` | what is kept in `<state.root>/channels` |
//! | `blocking`, `event_log` | what blocks, kept away from the asynchronous tasks |
//! | `api`, `address`, `tokens` | Slack's Web API |

mod address;
mod announce;
mod api;
mod blocking;
mod content;
mod context;
mod deliver;
mod entities;
mod event_log;
mod folder;
mod gate;
mod host;
mod inbox;
mod kept;
mod message;
mod messages;
mod outbox;
mod questions;
mod queues;
mod reading;
mod receive;
mod report;
mod round_trip;
mod slowed;
mod socket;
mod status;
mod sync_once;
#[cfg(test)]
mod texts;
mod threads;
mod timing;
mod tokens;
mod ts;
mod turns;
mod unannounced;
mod watch;

pub use host::{Hosting, host};
pub use report::{Report, report};
pub use round_trip::{RoundTrip, round_trip};
pub use slowed::Slowed;
pub use status::{Hearing, Status};
pub use sync_once::sync_once;
pub use timing::Timing;
