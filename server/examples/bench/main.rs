//! Benchmark: each figure is measured beside a bare minimum, since machines differ and are noisy.
//!
//! `cargo xtask bench` builds the release and runs this with its path in `THE_LOOP_BIN`. Everything runs in private
//! homes on private tmux servers. A figure is a median over alternating rounds; quote the ratio.
//!
//! Without arguments it measures the parts of the table and prints it. `bench -- PART…` measures single parts:
//!
//! | part | measures |
//! |---|---|
//! | `binary`, `list`, `rest`, `memory [MINUTES]`, `create`, `idle`, `scale` | figures of the table |
//! | `say`, `start`, `once`, `connect` | further figures |
//! | `soak [MINUTES]` | keyed messages while the service is killed: none is lost, none arrives twice |
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod connect;
mod create;
mod idle;
mod list;
mod memory;
mod once;
mod rest;
mod say;
mod scale;
mod soak;
mod start;
mod table;

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use table::{Aim, Table};

/// Parts of a run without arguments.
const WHOLE: [&str; 7] = ["binary", "list", "rest", "memory", "create", "idle", "scale"];

/// Duration of `memory` in a whole run, and of `soak`, in minutes.
const MINUTES: u64 = 2;

fn main() {
    let exe = env::var_os("THE_LOOP_BIN").map(PathBuf::from).expect("THE_LOOP_BIN names the built the-loop");
    let wanted: Vec<String> = env::args().skip(1).collect();
    if let [order, first] = &wanted[..]
        && order == once::WRITER
    {
        return once::writers(&exe, first.parse().expect("a writer's number"));
    }
    let minutes = wanted.iter().find_map(|word| word.parse().ok()).unwrap_or(MINUTES);
    let parts: Vec<&str> = wanted.iter().map(String::as_str).filter(|word| word.parse::<u64>().is_err()).collect();
    let mut table = Table::default();
    for part in if parts.is_empty() { &WHOLE[..] } else { &parts } {
        run(part, &exe, minutes, &mut table);
    }
    table.print();
}

fn run(part: &str, exe: &Path, minutes: u64, table: &mut Table) {
    match part {
        "binary" => binary(exe, table),
        "list" => list::run(exe, table),
        "rest" => rest::run(exe, table),
        "memory" => memory::run(exe, minutes, table),
        "create" => create::run(exe, table),
        "idle" => idle::run(exe, table),
        "scale" => scale::run(exe, table),
        "say" => say::run(exe),
        "start" => start::run(exe),
        "once" => once::run(exe),
        "connect" => connect::run(exe),
        "soak" => soak::run(exe, minutes, table),
        other => panic!("there is no part `{other}`"),
    }
}

fn binary(exe: &Path, table: &mut Table) {
    #[expect(clippy::cast_precision_loss, reason = "some megabytes")]
    let size = fs::metadata(exe).expect("it is built").len() as f64 / 1e6;
    table.row("size of the binary", size, &format!("{size:.1} MB"), "-", &Aim::None);
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
