//! Slack: every standing session that enables it has one thread, where authorised members can message it.
//!
//! The service runs the listener; no other process listens. All received messages take one path, in which each check
//! must pass: the thread is bound, the author is a person, and the author is on the list. The text then goes to the
//! session by the same `say` as on every other surface. A session never posts here. Posted messages are the
//! announcement, receipts, an open prompt, and the screen for members who request it.
//!
//! A failure here never prevents a session from starting or running, and a token is never revealed.
//!
//! | part | job |
//! |---|---|
//! | [`host()`] | life of the listener in the service |
//! | `socket`, `reading`, `reader`, `turns` | receive messages |
//! | `message`, `content` | parse messages and their content |
//! | `receive`, `batch`, `gate`, `queues`, `deliver` | bring a received message to a session's pane |
//! | `inbox`, `kept` | keep accepted replies through any crash |
//! | `watch`, `announce`, `questions` | find changes of the sessions that must be reported |
//! | `outbox`, `posting`, `messages`, `entities` | post messages |
//! | [`sync_once()`], [`report()`], [`round_trip()`] | functions for the command line |
//! | `threads`, `status`, `slowed`, `folder` | files in `<state.root>/channels` |
//! | `blocking`, `event_log` | keep blocking work away from the asynchronous tasks |
//! | `api`, `address`, `tokens` | Slack's Web API |

mod address;
mod announce;
mod answers;
mod api;
mod batch;
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
mod posting;
mod questions;
mod queues;
mod reader;
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
