//! Everything that can go wrong, brought about, with the outcome that is promised for it.
//!
//! The rows are those of `docs/faults.md`: a test is named `row_NN_…` after the row that it proves, so that either is
//! found from the other, and `cargo xtask faults` writes that table from a run. A row may have several tests. One that
//! needs what this machine does not have says so aloud (`SKIPPED row NN: why`) and counts as skipped, not as passed.
//!
//! Every test has a tmux server, a home and a state of its own; other processes of the-loop are this program, started
//! again (see [`actor`]).

mod actor;
mod bad_records;
mod crash;
mod delivery;
mod model;
mod ownership;
mod races;
mod record_writes;
mod scene;
mod tmux_server;

/// The other processes of these tests.
#[test]
#[ignore = "a program that other tests run"]
fn actor_process() {
    actor::serve();
}
