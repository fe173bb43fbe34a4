//! Standing sessions: named, long-lived tmux sessions that run AI coding agents and belong to no ticket.
//!
//! This crate is the whole core and the in-process SDK: open [`TheLoop`], call [`TheLoop::standing`], and use the
//! verbs. Every surface (command line, REST, web page, MCP, Slack) calls these functions and nothing below them.
//!
//! It must not know any surface: no HTTP, no page, no Slack. It is synchronous on purpose: a verb that has begun runs
//! to its end, even if its caller is gone. An asynchronous host calls it from a blocking thread.

mod brief;
mod caller;
mod definition;
mod details;
mod directive;
mod doctor;
mod error;
pub mod events;
pub mod hook;
pub mod launcher;
mod lifecycle;
mod messages;
mod metrics;
mod notices;
mod parallel;
mod registry;
mod selftest;
mod state;
pub mod state_folder;
pub mod text;
mod the_loop;
pub mod timeline;
mod turns;
mod watching;

pub use ::config;
pub(crate) use ::process::{self, clock, nesting, sockets, variables};
pub use brief::{BRIEF_LIMIT, read_brief};
pub use caller::Caller;
pub use demo_agent as demo;
pub use details::Details;
pub use error::Error;
pub use harness::account::account_differences;
pub use launcher::read_secret;
pub use lifecycle::create::mistakes::Mistake;
pub use lifecycle::pane::{PaneView, SCROLLBACK, Scrollback};
pub use lifecycle::reconcile::Recovered;
pub use lifecycle::screen::last_lines;
pub use lifecycle::turn::TurnFollower;
pub use metrics::{Metrics, Times, metrics};
pub use notices::notices;
pub use process::{
    ProcessHold, Surroundings, blocking, descriptors,
    sockets::{Gone, gone as sockets_gone},
    systemd::Unit,
};
pub use selftest::{Step, selftest};
pub use the_loop::{Standing, TheLoop};
pub use tmux::{Attach, TerminalSize};
pub use watching::{Blind, Look, PaneLook, PaneWatching, Places, Reason, Server, Watching};
pub use wire::{
    Activity, AnswerRequest, Block, Blocked, Check, Choice, ControlReport, ControlRequest, ControlVerb, CreateRequest,
    DeleteRequest, Finding, Need, Outcome, PlannedAction, PlannedSession, Problem, ProblemCode, Row, SayReceipt,
    SayRequest, SecretSource, SessionName, Severity, StandingRef, State, Status, Turn, TurnState, WorkItemRef,
};
