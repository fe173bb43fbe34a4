//! Cost of one verb beside many other processes.

use std::{
    fs,
    process::{Child, Stdio},
};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use standing::{ControlRequest, ControlVerb, CreateRequest};
use testkit::TestHome;

use crate::app::THE_LOOP;

/// Processes that have nothing to do with the session.
const OTHERS: u32 = 300;

/// How often `the-loop` with these arguments reads, whatever from.
fn reads(home: &TestHome, args: &[&str]) -> u32 {
    let mut child = home.command(THE_LOOP).args(args).stdout(Stdio::null()).spawn().expect("it starts");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid fits")).expect("not 0");
    // Not reaped yet, so that what it did is still counted somewhere.
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).expect("it ends");
    let counted = fs::read_to_string(format!("/proc/{}/io", child.id())).expect("counted");
    assert!(child.wait().expect("it ended").success());
    let line = counted.lines().find_map(|line| line.strip_prefix("syscr:")).expect("reads");
    line.trim().parse().expect("a number")
}

/// Processes that are ended with the test.
struct Others(Vec<Child>);

impl Drop for Others {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn a_stop_reads_little_of_each_process_that_it_has_nothing_to_do_with() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let the_loop = home.the_loop();
    assert!(the_loop.standing().create(&CreateRequest::named("ops")).expect("created").ok);
    let alone = reads(&home, &["standing", "stop", "ops"]);
    let start = ControlRequest { name: "ops".to_owned(), verb: ControlVerb::Start };
    assert!(the_loop.standing().control(&start).expect("a report").ok);
    let sleeper = |_| home.command("sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep starts");
    let others = Others((0..OTHERS).map(sleeper).collect());
    let beside = reads(&home, &["standing", "stop", "ops"]);
    drop(others);
    // Two looks at all processes, two reads each; other tests have processes of their own meanwhile.
    let each = beside.saturating_sub(alone) / OTHERS;
    assert!(each < 8, "{each} reads for each of them: {alone} alone, {beside} beside {OTHERS}");
}
