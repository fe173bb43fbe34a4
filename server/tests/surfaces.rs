//! The surfaces as a caller meets them, one file each. One binary for all of them, since linking is what costs.

mod activity;
mod app;
mod auth;
mod cli;
mod client;
mod conformance;
mod cycle;
mod empty;
mod forms;
mod guard;
mod held;
mod inside;
mod interop;
mod killed;
mod mcp;
mod metrics;
mod nonblocking;
mod openapi;
mod panes;
mod refusals;
mod rest;
mod scale;
mod schemathesis;
mod serve;
mod service;
mod stream;
