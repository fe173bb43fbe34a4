//! Measures starting and stopping 100 and 500 sessions with one command each, and one stop beside 200 others.

use std::{path::Path, process::Stdio};

use serde_json::json;
use standing::{ControlRequest, ControlVerb, CreateRequest, TheLoop};
use testkit::TestHome;

use crate::timed;

pub(crate) fn run(exe: &Path) {
    for count in [100, 500] {
        let home = home(exe, count);
        let command = |args: &[&str]| {
            let mut command = home.command(exe);
            command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
            timed(|| assert!(command.status().expect("it runs").success())).as_secs_f64()
        };
        let start = command(&["standing", "start", "--all"]);
        let stop = command(&["standing", "stop", "--all"]);
        println!("{count} sessions: start --all {start:.1} s (probe 0.3 s, 32 at once), stop --all {stop:.1} s");
    }
    beside(exe, 200);
}

/// Measures one session stopped and started again while many others are running.
fn beside(exe: &Path, others: usize) {
    let home = home(exe, others);
    let the_loop = home.the_loop();
    assert!(the_loop.standing().start_all().expect("a report").ok, "every session runs");
    let one = |verb| {
        let request = ControlRequest { name: "s0".to_owned(), verb };
        timed(|| assert!(the_loop.standing().control(&request).expect("a report").ok)).as_secs_f64() * 1000.0
    };
    let (stop, start) = (one(ControlVerb::Stop), one(ControlVerb::Start));
    println!("one of {others} sessions: stop {stop:.0} ms, start {start:.0} ms (probe 300 ms)");
    assert!(the_loop.standing().stop_all().expect("a report").ok);
}

fn home(exe: &Path, count: usize) -> TestHome {
    let home = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0.3)).build();
    let the_loop: TheLoop = home.the_loop();
    for number in 0..count {
        let request = CreateRequest { start: false, ..CreateRequest::named(format!("s{number}")) };
        the_loop.standing().create(&request).expect("recorded");
    }
    home
}
