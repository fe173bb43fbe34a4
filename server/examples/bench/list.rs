//! Measures `standing list` as a whole process, beside one bare `tmux list-panes -a`.

use std::{path::Path, process::Stdio};

use serde_json::json;
use standing::{ControlRequest, ControlVerb, TheLoop};
use testkit::TestHome;

use crate::{
    in_turn,
    rest::{sleepers, start_sleepers},
    table::{Aim, Table},
    timed,
};

const ROUNDS: usize = 31;

pub(crate) fn run(exe: &Path, table: &mut Table) {
    let home = sleepers(TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0)));
    let mut made = 0;
    for (count, times, plus) in [(1, None, 0.0), (50, Some(2.0), 2.0), (500, Some(1.5), 5.0)] {
        let the_loop = start_sleepers(&home, made, count);
        made = count;
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
        let aim = times.map_or(Aim::None, |times| Aim::Beside { times, plus, reference: bare });
        let reference = format!("tmux list-panes -a: {bare:.1} ms, ratio {:.2}", ours / bare);
        table.row(&format!("standing list, {count} sessions"), ours, &format!("{ours:.1} ms"), &reference, &aim);
        one(&the_loop, count);
    }
}

/// Measures one session stopped and started beside the others.
fn one(the_loop: &TheLoop, count: usize) {
    let one = |verb| {
        let request = ControlRequest { name: "s0".to_owned(), verb };
        timed(|| assert!(the_loop.standing().control(&request).expect("a report").ok))
    };
    let (stop, start) = in_turn(ROUNDS, || one(ControlVerb::Stop), || one(ControlVerb::Start));
    println!("one of {count}: stop {stop:.2} ms, start {start:.2} ms without its probe");
}
