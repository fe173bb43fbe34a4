//! For tests only: a private tmux, a private home, a running service, waits for conditions, and assertions that no
//! process was spawned or left behind.
//!
//! Nothing here touches the user's tmux server or home. A fixture ends only processes that are provably its own.

mod golden;
mod home;
mod http;
mod message;
#[cfg(feature = "model")]
mod model;
mod processes;
mod service;
#[cfg(feature = "slack")]
mod slack;
mod terminal;
mod tmux;
mod wait;

pub use golden::assert_text;
pub use home::{TestHome, TestHomeBuilder, assert_nothing_spawned};
pub use http::{Answer, Http};
pub use message::without_id;
#[cfg(feature = "model")]
pub use model::{Failure, StubModel};
pub use processes::marked;
pub use service::TestService;
#[cfg(feature = "slack")]
pub use slack::{Fault, StubSlack};
pub use terminal::Terminal;
pub use tmux::PrivateTmux;
pub use wait::{CAP, wait_for, wait_within};
