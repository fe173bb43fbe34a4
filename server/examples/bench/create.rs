//! Measures creating a session with the demo agent, from the call to the report that it is running: one, and twenty in
//! a row. The comparison is the same agent in a bare `tmux new-session`, until it shows its first screen.

use std::{path::Path, process::Stdio};

use serde_json::json;
use testkit::TestHome;

use crate::{
    in_turn,
    table::{Aim, Table},
    timed,
};

const ROUNDS: usize = 11;
const IN_A_ROW: usize = 20;

pub(crate) fn run(exe: &Path, table: &mut Table) {
    // The default probe. A new start with evidence does not wait for it.
    let home = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(2)).build();
    // The tmux server is already running: this measures a start, not the first one.
    home.tmux().start_foreign("other");
    let mut made = 0;
    let mut create = || {
        made += 1;
        let mut command = home.command(exe);
        command.args(["standing", "create", &format!("s{made}"), "--harness", "demo"]);
        timed(|| assert!(command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("it runs").success()))
    };
    let mut raw = 0;
    let mut bare = || {
        raw += 1;
        let (name, id) = (format!("raw{raw}"), format!("00000000-0000-4000-8000-{raw:012}"));
        let exe = exe.to_str().expect("UTF-8");
        timed(|| {
            let args =
                ["new-session", "-d", "-s", &name, "-x", "200", "-y", "50", "--", exe, "demo", "--session-id", &id];
            assert!(home.tmux().run(&args).status.success());
            let shown =
                || home.tmux().run(&["display-message", "-p", "-t", &format!("={name}:"), "#{pane_title}"]).stdout;
            while !shown().starts_with(b"demo: ") {}
        })
    };
    let (ours, reference) = in_turn(ROUNDS, &mut create, &mut bare);
    let beside = format!("new-session, to its first screen: {reference:.0} ms");
    table.row("create with `demo`, call to report", ours, &format!("{ours:.0} ms"), &beside, &Aim::Most(400.0, "ms"));
    let total = |mut one: Box<dyn FnMut() -> std::time::Duration + '_>| {
        (0..IN_A_ROW).map(|_| one().as_secs_f64() * 1000.0).sum::<f64>()
    };
    let (ours, reference) = (total(Box::new(&mut create)), total(Box::new(&mut bare)));
    let beside = format!("the same number of new-session: {:.2} s", reference / 1000.0);
    let what = format!("create with `demo`, {IN_A_ROW} in a row");
    table.row(&what, ours, &format!("{:.1} s", ours / 1000.0), &beside, &Aim::Most(8000.0, "ms"));
}
