//! Faults, rows 16 to 30: what the-loop does not own, what it types and where, and what it says of it.
//!
//! A test is named after its row, `row_NN_…`. One that cannot run here says `SKIPPED row NN: why`.

#[path = "faults_delivery/stage.rs"]
mod stage;

#[path = "faults_delivery/stop.rs"]
mod stop;

#[path = "faults_delivery/text.rs"]
mod text;

#[path = "faults_delivery/panes.rs"]
mod panes;

#[path = "faults_delivery/verdicts.rs"]
mod verdicts;

#[path = "faults_delivery/start.rs"]
mod start;

#[path = "faults_delivery/config.rs"]
mod config;

#[path = "faults_delivery/noisy.rs"]
mod noisy;

#[path = "faults_delivery/env.rs"]
mod env;

#[path = "faults_delivery/service.rs"]
mod service;

#[path = "faults_delivery/once.rs"]
mod once;

#[path = "faults_delivery/unsent.rs"]
mod unsent;

#[path = "faults_delivery/queue.rs"]
mod queue;

#[path = "faults_delivery/brief.rs"]
mod brief;

#[path = "faults_delivery/follow.rs"]
mod follow;

#[path = "faults_delivery/many.rs"]
mod many;

#[path = "faults_delivery/kept.rs"]
mod kept;
