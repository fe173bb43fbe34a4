//! Measures `standing list` as a whole process, beside one bare `tmux list-panes -a`.

use std::{path::Path, process::Stdio};

use serde_json::json;
use standing::{ControlRequest, ControlVerb, CreateRequest};
use testkit::TestHome;

use crate::{in_turn, line, timed};

const ROUNDS: usize = 21;

pub(crate) fn run(exe: &Path) {
    let home = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0)).build();
    home.reconfigure("/routing/harnesses/sleeper", json!({"command": ["sleep"], "newArgs": ["600"]}));
    let the_loop = home.the_loop();
    let mut made = 0;
    for count in [1, 50, 500] {
        while made < count {
            let name = format!("s{made}");
            let request = CreateRequest { start: false, harness: "sleeper".to_owned(), ..CreateRequest::named(name) };
            the_loop.standing().create(&request).expect("created");
            made += 1;
        }
        assert!(the_loop.standing().start_all().expect("a report").ok, "every session runs");
        let quiet = |mut command: std::process::Command| {
            assert!(command.stdout(Stdio::null()).status().expect("it runs").success());
        };
        let ours = || {
            let mut command = home.command(exe);
            command.args(["standing", "list"]);
            timed(|| quiet(command))
        };
        let bare = || {
            let mut command = home.command("tmux");
            command.args(["-L", home.tmux().name(), "list-panes", "-a"]);
            timed(|| quiet(command))
        };
        let (ours, bare) = in_turn(ROUNDS, ours, bare);
        line(&format!("standing list, {count} session(s)"), ours, "tmux list-panes -a", bare);
        let one = |verb| {
            let request = ControlRequest { name: "s0".to_owned(), verb };
            timed(|| assert!(the_loop.standing().control(&request).expect("a report").ok))
        };
        let (stop, start) = in_turn(ROUNDS, || one(ControlVerb::Stop), || one(ControlVerb::Start));
        println!("one of {count}: stop {stop:.2} ms, start {start:.2} ms without its probe");
    }
}
