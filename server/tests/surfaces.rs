//! The surfaces as a caller meets them, one file each. One binary for all of them, since linking is what costs.

mod app;
mod cli;
mod cycle;
mod guard;
mod refusals;
mod rest;
mod serve;
mod service;
