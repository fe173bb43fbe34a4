//! Benchmark: each figure is measured beside a bare minimum, since machines differ and are noisy.
//!
//! `cargo xtask bench` builds the release and runs this with its path in `THE_LOOP_BIN`. Everything runs in private
//! homes on private tmux servers. A figure is a median over alternating rounds; quote the ratio.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod connect;
mod create;
mod idle;
mod list;
mod once;
mod rest;
mod say;
mod scale;
mod soak;
mod start;

use std::{
    env,
    path::PathBuf,
    time::{Duration, Instant},
};

fn main() {
    let exe = env::var_os("THE_LOOP_BIN").map(PathBuf::from).expect("THE_LOOP_BIN names the built the-loop");
    let wanted: Vec<String> = env::args().skip(1).collect();
    if let [order, first] = &wanted[..]
        && order == once::WRITER
    {
        return once::writers(&exe, first.parse().expect("a writer's number"));
    }
    if let [order, minutes] = &wanted[..]
        && order == "soak"
    {
        return soak::run(&exe, minutes.parse().expect("minutes"));
    }
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if runs("list") {
        list::run(&exe);
    }
    if runs("say") {
        say::run(&exe);
    }
    if runs("start") {
        start::run(&exe);
    }
    if runs("create") {
        create::run(&exe);
    }
    if runs("rest") {
        rest::run(&exe);
    }
    if runs("once") {
        once::run(&exe);
    }
    if runs("idle") {
        idle::run(&exe);
    }
    if runs("scale") {
        scale::run(&exe);
    }
    if runs("connect") {
        connect::run(&exe);
    }
}

/// Returns the duration of some work.
fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

/// Returns the median of some durations, in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Runs two operations alternately, and returns the medians of both.
fn in_turn(rounds: usize, mut ours: impl FnMut() -> Duration, mut bare: impl FnMut() -> Duration) -> (f64, f64) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        a.push(ours());
        b.push(bare());
    }
    (median(a), median(b))
}

/// Prints one line of the result.
fn line(what: &str, ours: f64, beside: &str, bare: f64) {
    println!("{what:<44} {ours:>8.2} ms   {beside:<34} {bare:>8.2} ms   ratio {:>6.2}", ours / bare);
}
