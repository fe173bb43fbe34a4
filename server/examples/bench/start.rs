//! A start, its probe aside, beside a raw `tmux new-session`; and many side by side beside one.

use std::path::Path;

use serde_json::json;
use standing::{ControlRequest, ControlVerb, CreateRequest};
use testkit::TestHome;

use crate::{in_turn, line, timed};

const ROUNDS: usize = 15;

pub(crate) fn run(exe: &Path) {
    let home = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0)).build();
    home.reconfigure("/routing/harnesses/sleeper", json!({"command": ["sleep"], "newArgs": ["600"]}));
    let the_loop = home.the_loop();
    // A server that is up already: what is measured is a start, not the first of all.
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
