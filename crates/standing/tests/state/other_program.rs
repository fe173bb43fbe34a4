//! A record that another program has rewritten: the session stays ours, told by its own marks.

use std::fs;

use serde_json::json;
use standing::{ControlVerb, Outcome, State};
use testkit::wait_for;

use crate::scene::{
    agents, control, create, delete, home, outcome, record, record_file, rewrite_as_the_published_program, row, say,
    state,
};

#[test]
fn a_session_whose_record_another_program_rewrote_stays_managed_and_gets_its_keys_back() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    let before = record(&home, "x");
    rewrite_as_the_published_program(&home, "x");
    assert!(record(&home, "x").get("loopId").is_none());
    let listed = row(&the_loop, "x");
    assert_eq!((listed.state, listed.running), (State::Running, true), "{listed:?}");
    assert_eq!(state(&the_loop, "x"), State::Running);
    say(&the_loop, "x").expect("said");
    let after = record(&home, "x");
    for key in ["loopId", "process", "server", "format", "origin", "harnessArgsInherited", "spawnedAt", "phase"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_ne!(after["lastMessageAt"], json!(""), "and what the other program wrote stays");

    rewrite_as_the_published_program(&home, "x");
    let (restarted, detail) = outcome(control(&the_loop, "x", ControlVerb::Restart));
    assert_eq!(restarted, Some(Outcome::Resumed), "{detail}");
    assert_eq!(agents(&home).len(), 1, "one agent, not two");

    rewrite_as_the_published_program(&home, "x");
    assert_eq!(outcome(control(&the_loop, "x", ControlVerb::Start)).0, Some(Outcome::AlreadyRunning));
    rewrite_as_the_published_program(&home, "x");
    assert_eq!(outcome(control(&the_loop, "x", ControlVerb::Stop)).0, Some(Outcome::Stopped));
    assert_eq!(agents(&home), [] as [i32; 0]);
}

#[test]
fn what_another_program_dropped_is_back_after_it_has_stopped_the_session_too() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    let before = record(&home, "x");
    control(&the_loop, "x", ControlVerb::Stop).expect("stopped");
    rewrite_as_the_published_program(&home, "x");
    assert_eq!(state(&the_loop, "x"), State::Stopped);
    let (started, detail) = outcome(control(&the_loop, "x", ControlVerb::Start));
    assert_eq!(started, Some(Outcome::Resumed), "{detail}");
    let after = record(&home, "x");
    for key in ["origin", "format", "account", "harnessArgsInherited", "harnessSessionId"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    // Another program that has started it itself since knows better, and its session is not ours.
    control(&the_loop, "x", ControlVerb::Stop).expect("stopped");
    rewrite_as_the_published_program(&home, "x");
    let text = fs::read_to_string(record_file(&home, "x")).expect("there");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    value["startedAt"] = json!("2026-11-30T00:00:00Z");
    fs::write(record_file(&home, "x"), value.to_string()).expect("written");
    home.tmux().start_foreign("loop-standing-x");
    wait_for("its first words", || home.tmux().screen("loop-standing-x").contains("foreign").then_some(()));
    assert_eq!(state(&the_loop, "x"), State::Running, "by its own record");
    let (deleted, detail) = outcome(delete(&the_loop, "x"));
    assert_eq!(deleted, Some(Outcome::Deleted), "{detail}");
    for folder in [".launch", ".copies"] {
        let left = fs::read_dir(home.records().join(folder)).expect("listed").flatten().count();
        assert_eq!(left, 0, "nothing of it is kept in {folder}");
    }
}

#[test]
fn a_delete_or_a_stop_of_all_ends_what_another_program_s_record_no_longer_names() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    rewrite_as_the_published_program(&home, "x");
    assert_eq!(outcome(delete(&the_loop, "x")).0, Some(Outcome::Deleted));
    assert_eq!((agents(&home), home.tmux().sessions()), (vec![], vec![]));
    create(&the_loop, "y");
    rewrite_as_the_published_program(&home, "y");
    let report = the_loop.standing().stop_all().expect("a report");
    assert!(report.ok, "{report:?}");
    assert_eq!(agents(&home), [] as [i32; 0]);
}

#[test]
fn a_harness_without_its_tmux_session_is_ended_by_its_own_mark() {
    let home = home();
    let the_loop = home.the_loop();
    for (name, record_is) in [("a", "of another program"), ("b", "unreadable")] {
        create(&the_loop, name);
        // Its pane is elsewhere, and no record says which process it is.
        let session = format!("=loop-standing-{name}");
        home.tmux().run(&["rename-session", "-t", &session, &format!("mine-{name}")]);
        if record_is == "unreadable" {
            fs::write(record_file(&home, name), "{").expect("written");
        } else {
            rewrite_as_the_published_program(&home, name);
            assert_eq!(state(&the_loop, name), State::Orphaned);
        }
        let (stopped, detail) = outcome(control(&the_loop, name, ControlVerb::Stop));
        assert_eq!(stopped, Some(Outcome::Stopped), "{record_is}: {detail}");
        assert_eq!(agents(&home), [] as [i32; 0], "{record_is}");
    }
}

#[test]
fn an_old_record_that_was_put_back_does_not_hide_the_session_that_runs() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    let old = fs::read(record_file(&home, "x")).expect("a record");
    control(&the_loop, "x", ControlVerb::Restart).expect("restarted");
    let now = record(&home, "x");
    fs::write(record_file(&home, "x"), old).expect("put back");
    assert_eq!(state(&the_loop, "x"), State::Running);
    say(&the_loop, "x").expect("said");
    assert_eq!(record(&home, "x")["loopId"], now["loopId"]);
    assert_eq!(outcome(delete(&the_loop, "x")).0, Some(Outcome::Deleted));
    assert_eq!(agents(&home), [] as [i32; 0]);
}

#[test]
fn a_record_of_another_program_does_not_claim_the_session_of_another_project() {
    let (ours, theirs) = (home(), home());
    theirs.reconfigure("/routing/tmux/socket", json!(ours.tmux().name()));
    let (the_loop, other) = (ours.the_loop(), theirs.the_loop());
    create(&the_loop, "x");
    fs::create_dir_all(theirs.records()).expect("made");
    fs::copy(record_file(&ours, "x"), record_file(&theirs, "x")).expect("copied");
    rewrite_as_the_published_program(&theirs, "x");
    assert_eq!(state(&other, "x"), State::Foreign);
    assert_eq!(outcome(control(&other, "x", ControlVerb::Stop)).0, Some(Outcome::NotRunning));
    assert_eq!(agents(&ours).len(), 1);
    assert_eq!(state(&the_loop, "x"), State::Running);
}

#[test]
fn a_delete_that_failed_is_not_completed_by_the_next_verb() {
    let home = home();
    let the_loop = home.the_loop();
    // A record of the published form, whose session this user's tmux cannot be asked about.
    fs::create_dir_all(home.records()).expect("made");
    let text = json!({"name": "x", "harness": "demo", "cwd": home.work(), "status": "stopped"});
    fs::write(record_file(&home, "x"), text.to_string()).expect("written");
    home.reconfigure("/routing/tmux/socket", json!("x".repeat(300)));
    let (failed, detail) = outcome(delete(&the_loop, "x"));
    assert_eq!(failed, Some(Outcome::Failed), "{detail}");
    assert_eq!(record(&home, "x").get("phase"), None, "as it was before");
}
