//! Measures a start without its probe, beside a raw `tmux new-session`; `the-loop start` of twenty sessions beside one;
//! and the time until the service is ready.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;
use standing::{ControlRequest, ControlVerb, CreateRequest};
use testkit::TestHome;

use crate::{in_turn, line, timed};

const ROUNDS: usize = 15;

/// Number of rounds for whole starts. They take as long as the probe, so there are fewer of them.
const WHOLE_ROUNDS: usize = 7;

pub(crate) fn run(exe: &Path) {
    one(exe);
    many(exe);
    ready(exe);
}

fn one(exe: &Path) {
    let home = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0)).build();
    home.reconfigure("/routing/harnesses/sleeper", json!({"command": ["sleep"], "newArgs": ["600"]}));
    let the_loop = home.the_loop();
    // The tmux server is already running: this measures a start, not the first one.
    home.tmux().start_foreign("other");
    let request = CreateRequest { start: false, harness: "sleeper".to_owned(), ..CreateRequest::named("s") };
    the_loop.standing().create(&request).expect("recorded");
    let control = |verb| {
        let request = ControlRequest { name: "s".to_owned(), verb };
        assert!(the_loop.standing().control(&request).expect("a report").ok);
    };
    let ours = || {
        let took = timed(|| control(ControlVerb::Start));
        control(ControlVerb::Stop);
        took
    };
    let bare = || {
        let took = timed(|| {
            let args = ["new-session", "-d", "-s", "raw", "-x", "200", "-y", "50", "--", "sleep", "600"];
            assert!(home.tmux().run(&args).status.success());
        });
        assert!(home.tmux().run(&["kill-session", "-t", "=raw"]).status.success());
        took
    };
    let (ours, bare) = in_turn(ROUNDS, ours, bare);
    line("start, durable, without its probe", ours, "tmux new-session", bare);
}

/// Measures the command with declared auto-start sessions, each with a probe of 0.3 s.
fn many(exe: &Path) {
    let with = |count: usize| {
        let declared = (0..count)
            .fold(TestHome::builder().exe(exe), |home, number| home.declare(json!({ "name": format!("s{number}") })));
        declared.build()
    };
    let (twenty, single) = (with(20), with(1));
    let start = |home: &TestHome| {
        let took = timed(|| quietly(home.command(exe).args(["start", "--sessions-only"])));
        quietly(home.command(exe).args(["stop", "--sessions-only"]));
        took
    };
    let (ours, bare) = in_turn(WHOLE_ROUNDS, || start(&twenty), || start(&single));
    line("the-loop start, 20 sessions, probe 300 ms", ours, "the same, 1 session", bare);
}

/// Measures until the command ends, which it does once the service has reported that it listens.
fn ready(exe: &Path) {
    let home = TestHome::builder().exe(exe).build();
    let ours = || {
        let took = timed(|| quietly(home.command(exe).args(["start", "--service-only", "--port", "0"])));
        quietly(home.command(exe).args(["stop", "--service-only"]));
        took
    };
    let bare = || timed(|| quietly(home.command(exe).arg("--version")));
    let (ours, bare) = in_turn(ROUNDS, ours, bare);
    line("the-loop start, until the service is ready", ours, "the-loop --version", bare);
}

fn quietly(command: &mut Command) {
    assert!(command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("it runs").success());
}
