//! The engine: the asynchronous door to the core, and the only thing that a surface sees of it.
//!
//! An [`Engine`] implements [`StandingApi`], as `client::Client` does over HTTP, so that a surface is the same few lines
//! whichever of the two it holds. A verb waits for its session here, without a thread; reads have threads of their own
//! that no verb can take.
//!
//! This crate decides nothing about sessions: judgement, permission and order of acts are the core's. It must not know a
//! surface, and it blocks no asynchronous worker: whatever blocks runs through [`Engine::read`], [`Engine::on_session`]
//! or [`Engine::on_all`].

mod api;
mod engine;
mod queues;
mod watcher;

pub use engine::Engine;
pub use queues::THREADS;
pub use watcher::{Change, ConfigFile, SessionWatcher, Sessions, Snapshot, Subscription};
pub use wire::{Refusal, StandingApi};
