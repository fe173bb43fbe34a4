//! Measures starting and stopping 100 and 500 sessions with one command each, beside the same number of bare tmux
//! sessions, and one stop beside 200 others.

use std::{
    path::Path,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::{ControlRequest, ControlVerb, CreateRequest, TheLoop};
use testkit::TestHome;

use crate::{
    table::{Aim, Table},
    timed,
};

/// Time that an agent has to exit in these homes, in seconds.
const GRACE: f64 = 2.0;

pub(crate) fn run(exe: &Path, table: &mut Table) {
    for count in [100, 500] {
        let home = home(exe, count);
        let command = |args: &[&str]| {
            let mut command = home.command(exe);
            command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
            timed(|| assert!(command.status().expect("it runs").success())).as_secs_f64()
        };
        let start = command(&["standing", "start", "--all"]);
        let stop = command(&["standing", "stop", "--all"]);
        let (made, ended) = bare(exe, &home, count);
        let reference = format!("new-session for each: {made:.1} s");
        table.row(&format!("start of {count}, probe 0.3 s"), start, &format!("{start:.1} s"), &reference, &Aim::None);
        let reference = format!("kill-server, to the last process: {ended:.1} s");
        let aim = if count == 500 { Aim::Most(10.0 + GRACE, "s (10 s + grace)") } else { Aim::None };
        table.row(&format!("stop of {count}"), stop, &format!("{stop:.1} s"), &reference, &aim);
    }
    beside(exe, 200);
}

/// Returns the seconds in which tmux alone starts the same agents, and in which they end with their server.
fn bare(exe: &Path, home: &TestHome, count: usize) -> (f64, f64) {
    let exe = exe.to_str().expect("UTF-8");
    let made = timed(|| {
        for number in 0..count {
            let (name, id) = (format!("raw{number}"), format!("00000000-0000-4000-8000-{number:012}"));
            let args = ["new-session", "-d", "-s", &name, "--", exe, "demo", "--session-id", &id];
            assert!(home.tmux().run(&args).status.success());
        }
    });
    let pids = home.tmux().run(&["list-panes", "-a", "-F", "#{pane_pid}"]).stdout;
    let pids = String::from_utf8(pids).expect("numbers");
    let ended = timed(|| {
        assert!(home.tmux().run(&["kill-server"]).status.success());
        let begun = Instant::now();
        while pids.lines().any(|pid| Path::new("/proc").join(pid).exists()) && begun.elapsed() < Duration::from_mins(1)
        {
            thread::sleep(Duration::from_millis(10));
        }
    });
    (made.as_secs_f64(), ended.as_secs_f64())
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
