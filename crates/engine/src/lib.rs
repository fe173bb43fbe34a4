//! Engine: asynchronous access to the core, and the only part of it that a surface uses.
//!
//! [`Engine`] implements [`StandingApi`], as `client::Client` does over HTTP, so a surface uses the same code for
//! both. A verb waits for its session in a queue, without a thread. Reads have their own threads, which verbs never
//! use.
//!
//! This crate decides nothing about sessions: the core decides on state, permission and order of actions. This crate
//! must not know a surface, and must not block an asynchronous worker: blocking work runs through [`Engine::read`],
//! [`Engine::on_session`] or [`Engine::on_all`].

mod api;
mod engine;
mod panes;
mod queues;
mod turns;
mod watcher;

pub use engine::Engine;
pub use panes::PaneSubscription;
pub use queues::THREADS;
pub use watcher::{Change, ConfigFile, Sample, SessionWatcher, Sessions, Snapshot, Subscription};
pub use wire::{Refusal, StandingApi};
