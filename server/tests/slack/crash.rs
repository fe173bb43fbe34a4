//! The service is killed: between the acknowledgement and the pane, and at any other moment.

use std::{
    fs::{File, OpenOptions},
    thread,
    time::Duration,
};

use testkit::{Fault, TestService, wait_for};

use crate::stage::{ANN, Stage, done, in_slack};

/// Ends the service as the kernel would.
fn kill(service: &mut TestService) {
    service.kill();
    service.wait();
}

/// Holds a session as a verb does, so that a say waits.
fn hold(stage: &Stage, name: &str) -> File {
    let lock = stage.home.records().join(format!(".locks/{name}.lock"));
    let file = OpenOptions::new().read(true).write(true).open(lock).expect("the lock's file");
    file.lock().expect("held");
    file
}

#[test]
fn killed_between_the_acknowledgement_and_the_pane_it_types_once() {
    let stage = Stage::new();
    let mut service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    let held = hold(&stage, "ops");
    let first = stage.slack.reply(&thread, ANN, "first words");
    let second = stage.slack.reply(&thread, ANN, "second words");
    wait_for("both to be acknowledged", || (stage.slack.acknowledged() >= 2).then_some(()));
    kill(&mut service);
    assert!(stage.words("ops").is_empty(), "acknowledged and not typed");
    drop(held);

    let _service = stage.hearing();
    for ts in [first, second] {
        stage.marked(&ts, "white_check_mark");
    }
    assert_eq!(stage.words("ops"), ["first words", "second words"]);
}

#[test]
fn killed_between_the_pane_and_the_receipt_it_does_not_type_again() {
    let stage = Stage::new();
    let mut service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    stage.slack.fail("reactions.add", std::iter::repeat_n(Fault::Status(503), 1000));
    let ts = stage.slack.reply(&thread, ANN, "once");
    wait_for("the words to be typed", || (stage.words("ops") == ["once"]).then_some(()));
    kill(&mut service);
    stage.slack.forgive();
    let _service = stage.hearing();
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("ops"), ["once"]);
}

#[test]
fn killed_at_any_moment_it_types_once_or_says_that_it_does_not_know() {
    let stage = Stage::new();
    let mut service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    // Whoever comes back within the time of Slack's repetitions is sent what it never acknowledged.
    stage.slack.retry_after(&[Duration::from_millis(200); 300]);
    let mut sent = Vec::new();
    for round in 0..6_u64 {
        let words = format!("round {round}");
        sent.push((stage.slack.reply(&thread, ANN, &words), words));
        // From before the event is heard to after it is typed.
        thread::sleep(Duration::from_millis(15 + 60 * round));
        kill(&mut service);
        service = stage.hearing();
    }
    for (ts, _) in &sent {
        wait_for("a receipt", || {
            let marks = stage.slack.reactions(ts);
            (marks == ["white_check_mark"] || marks == ["grey_question"]).then_some(())
        });
    }
    // A reply that the thread's listing brought first has its receipt before its event is repeated.
    wait_for("every event to be acknowledged", || (stage.slack.unacknowledged() == 0).then_some(()));
    assert_eq!(stage.slack.given_up(), 0);
    let typed = stage.words("ops");
    for (ts, words) in &sent {
        let times = typed.iter().filter(|typed| *typed == words).count();
        let unsure = stage.slack.reactions(ts) == ["grey_question"];
        assert!(times == 1 || (times == 0 && unsure), "{words}: typed {times} times; {typed:#?}");
    }
}
