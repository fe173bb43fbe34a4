//! Calls of the service to the core besides the verbs: recover interrupted verbs, check that all auto-start sessions
//! run, and plan a start.

use std::fs;

use serde_json::{Value, json};
use standing::{ControlRequest, ControlVerb, CreateRequest, Outcome, PlannedAction, State, TheLoop};
use testkit::{TestHome, TestHomeBuilder, assert_nothing_spawned};

fn builder() -> TestHomeBuilder {
    TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch"))
}

fn create(the_loop: &TheLoop, request: &CreateRequest) {
    let report = the_loop.standing().create(request).expect("created");
    assert!(report.ok, "{report:?}");
}

fn stop(the_loop: &TheLoop, name: &str) {
    let request = ControlRequest { name: name.to_owned(), verb: ControlVerb::Stop };
    assert!(the_loop.standing().control(&request).expect("a report").ok);
}

/// Writes into a record what a verb that was killed would have left there.
fn cut_short(home: &TestHome, name: &str, phase: &str) {
    let path = home.records().join(format!("{name}.json"));
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a record")).expect("JSON");
    record["phase"] = json!(phase);
    fs::write(&path, record.to_string()).expect("written");
}

#[test]
fn what_was_cut_short_is_finished_and_the_rest_is_left_alone() {
    let home = builder().build();
    let the_loop = home.the_loop();
    for name in ["started", "stopped", "deleted", "untouched"] {
        create(&the_loop, &CreateRequest::named(name));
    }
    for (name, phase) in [("started", "starting"), ("stopped", "stopping"), ("deleted", "deleting")] {
        cut_short(&home, name, phase);
    }
    let settled = the_loop.standing().reconcile().expect("reconciled");
    let seen: Vec<_> =
        settled.iter().map(|one| (one.name.as_str(), one.begun, *one.now.as_ref().expect("settled"))).collect();
    assert_eq!(
        seen,
        [
            ("deleted", "deleting", State::Absent),
            ("started", "starting", State::Running),
            ("stopped", "stopping", State::Stopped)
        ]
    );
    assert_eq!(home.tmux().sessions(), ["loop-standing-started", "loop-standing-untouched"]);
    assert!(!home.records().join("deleted.json").exists());
    assert_nothing_spawned(&home, || {
        assert!(the_loop.standing().reconcile().expect("reconciled").is_empty(), "there is nothing left to do");
    });
}

#[test]
fn a_session_that_cannot_be_settled_does_not_keep_the_others_from_it() {
    let home = builder().build();
    let the_loop = home.the_loop();
    for name in ["good", "gone"] {
        create(&the_loop, &CreateRequest { start: false, ..CreateRequest::named(name) });
        cut_short(&home, name, "deleting");
    }
    fs::write(home.records().join("broken.json"), "{").expect("written");
    // Its lock cannot be had: something else stands there.
    fs::remove_file(home.records().join(".locks/good.lock")).expect("removed");
    fs::create_dir(home.records().join(".locks/good.lock")).expect("made");
    let settled = the_loop.standing().reconcile().expect("reconciled");
    let ok: Vec<_> = settled.iter().map(|one| (one.name.as_str(), one.now.is_ok())).collect();
    assert_eq!(ok, [("gone", true), ("good", false)]);
}

#[test]
fn all_is_well_if_what_starts_by_itself_runs() {
    let home = builder()
        .declare(json!({ "name": "declared" }))
        .declare(json!({ "name": "by-hand", "autoStart": false }))
        .build();
    let the_loop = home.the_loop();
    let ok = || the_loop.standing().status().expect("a report").ok;
    assert!(!ok(), "a declared one does not run");
    assert!(the_loop.standing().start_auto().expect("a report").ok);
    assert!(ok());
    assert_eq!(home.tmux().sessions(), ["loop-standing-declared"]);
    create(&the_loop, &CreateRequest { auto_start: false, start: false, ..CreateRequest::named("not-auto") });
    assert!(ok(), "it does not start by itself");
    create(&the_loop, &CreateRequest::named("created"));
    assert!(ok());
    stop(&the_loop, "created");
    assert!(!ok(), "a created one that starts by itself does not run");
    home.reconfigure("/standingSessions/enabled", json!(false));
    stop(&the_loop, "declared");
    assert!(!ok(), "whether the block is enabled matters to declared ones alone");
    let report = the_loop.standing().start_auto().expect("a report");
    let outcomes: Vec<_> = report.sessions.iter().map(|row| (row.name.as_str(), row.outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("by-hand", Some(Outcome::NotRunning)),
            ("created", Some(Outcome::Resumed)),
            ("declared", Some(Outcome::NotRunning))
        ]
    );
    assert!(ok());
    fs::write(home.records().join("broken.json"), "{").expect("written");
    assert!(!ok(), "nobody knows about that one");
}

#[test]
fn what_ran_by_hand_is_started_again_where_that_is_asked_for() {
    let home = builder().declare(json!({ "name": "by-hand", "autoStart": false })).build();
    let the_loop = home.the_loop();
    let again = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| name.parse().expect("a name")).collect();
        let report = the_loop.standing().start_again(&names).expect("a report");
        report.sessions.into_iter().map(|row| (row.name, row.outcome)).collect::<Vec<_>>()
    };
    assert_eq!(again(&[]), []);
    assert_eq!(again(&["by-hand"]), [("by-hand".to_owned(), Some(Outcome::Started))]);
    stop(&the_loop, "by-hand");
    home.reconfigure("/standingSessions/enabled", json!(false));
    assert_eq!(again(&["by-hand"]), [("by-hand".to_owned(), Some(Outcome::Resumed))]);
}

#[test]
fn a_plan_says_what_a_start_then_does_and_does_nothing_itself() {
    let home = builder()
        .declare(json!({ "name": "fresh" }))
        .declare(json!({ "name": "no-such-folder", "cwd": "/no/such/folder" }))
        .declare(json!({ "name": "no-such-brief", "promptFile": "no/such.md" }))
        .declare(json!({ "name": "endless-brief", "promptFile": "/dev/zero" }))
        .declare(json!({ "name": "piped-brief", "promptFile": "brief.pipe" }))
        .declare(json!({ "name": "no-such-harness", "harness": "nobody" }))
        .declare(json!({ "name": "by-hand", "autoStart": false }))
        .build();
    // Nobody writes to it: whoever reads it waits for ever.
    let pipe = home.project().join("brief.pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let the_loop = home.the_loop();
    for name in ["running", "stopped"] {
        create(&the_loop, &CreateRequest::named(name));
    }
    stop(&the_loop, "stopped");
    home.tmux().start_foreign("loop-standing-fresh");
    let planned = assert_nothing_spawned(&home, || the_loop.standing().plan().expect("planned"));
    let seen: Vec<_> = planned.iter().map(|one| (one.name.as_str(), one.recorded.as_str(), one.action)).collect();
    assert_eq!(
        seen,
        [
            ("by-hand", "", PlannedAction::Leave),
            ("endless-brief", "", PlannedAction::Fail),
            ("fresh", "", PlannedAction::Fail),
            ("no-such-brief", "", PlannedAction::Fail),
            ("no-such-folder", "", PlannedAction::Fail),
            ("no-such-harness", "", PlannedAction::Fail),
            ("piped-brief", "", PlannedAction::Fail),
            ("running", "running", PlannedAction::LeaveRunning),
            ("stopped", "stopped", PlannedAction::Resume),
        ]
    );
    let report = the_loop.standing().start_auto().expect("a report");
    for row in &report.sessions {
        let planned = planned.iter().find(|one| one.name == row.name).expect("planned");
        let expected = match planned.action {
            PlannedAction::Start => Outcome::Started,
            PlannedAction::Resume => Outcome::Resumed,
            PlannedAction::LeaveRunning => Outcome::AlreadyRunning,
            PlannedAction::Fail => Outcome::Failed,
            PlannedAction::Leave => unreachable!("{row:?}"),
        };
        assert_eq!(row.outcome, Some(expected), "{}", row.name);
    }
    assert_eq!(report.sessions.len(), planned.len() - 1);
}
