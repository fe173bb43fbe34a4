//! A person may move an agent on to another conversation. The record follows it, also after its end.

use std::fs;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use standing::{ControlVerb, CreateRequest, Outcome, TheLoop};
use testkit::{TestHome, wait_for};

use crate::stage::{begin, control, framed, home, said, say, shows};

fn record(home: &TestHome, name: &str) -> Value {
    let text = fs::read_to_string(home.records().join(format!("{name}.json"))).expect("a record");
    serde_json::from_str(&text).expect("JSON")
}

/// Types a line as a person does, past the-loop.
fn types(home: &TestHome, name: &str, text: &str) {
    let session = format!("=loop-standing-{name}:");
    home.tmux().run(&["send-keys", "-t", &session, "-l", text]);
    shows(home, name, text);
    home.tmux().run(&["send-keys", "-t", &session, "Enter"]);
}

/// Moves it on with a turn in the new conversation, whose id is told.
fn clears(home: &TestHome, name: &str, before: &str) -> String {
    types(home, name, "/clear");
    wait_for("another conversation", || {
        let screen = home.tmux().screen(&format!("loop-standing-{name}"));
        (!screen.contains(before)).then_some(())
    });
    types(home, name, "after clear");
    shows(home, name, "you said: after clear");
    let screen = home.tmux().screen(&format!("loop-standing-{name}"));
    let id = screen.split("the-loop demo · ").nth(1).and_then(|rest| rest.split_whitespace().next());
    id.expect("the header names it").to_owned()
}

fn ends(home: &TestHome, the_loop: &TheLoop, name: &str) {
    wait_for("its end", || (!the_loop.standing().list().expect("rows")[0].running).then_some(()));
    assert_eq!(home.tmux().sessions().len(), 1, "the pane of {name} is retained");
}

#[test]
fn a_list_follows_and_records_the_conversation_that_a_person_moved_on_to() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let old = row.harness_session_id;
    let new = clears(&home, "ops", &old);
    assert_eq!(the_loop.standing().list().expect("rows")[0].harness_session_id, new);
    let record = record(&home, "ops");
    assert_eq!(
        (record["harnessSessionId"].as_str(), record["formerSessionIds"][0].as_str()),
        (Some(&*new), Some(&*old))
    );
    let row = the_loop.standing().get("ops").expect("a row");
    say(&the_loop, "ops", "hello");
    assert_eq!(said(&home, &row), [framed("ops", "hello")], "the first turn of the new one is left out");
}

#[test]
fn a_start_after_a_kill_resumes_the_conversation_that_was_last_held() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let new = clears(&home, "ops", &row.harness_session_id);
    kill(Pid::from_raw(row.pid.expect("alive").cast_signed()), Signal::SIGKILL).expect("killed");
    ends(&home, &the_loop, "ops");
    let started = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!((started.outcome, started.harness_session_id), (Some(Outcome::Resumed), new));
    assert_eq!(record(&home, "ops")["formerSessionIds"][0], row.harness_session_id.as_str());
}

#[test]
fn a_start_after_the_agent_left_by_itself_resumes_the_conversation_that_its_last_words_name() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let new = clears(&home, "ops", &row.harness_session_id);
    types(&home, "ops", "/exit");
    ends(&home, &the_loop, "ops");
    assert_eq!(the_loop.standing().get("ops").expect("a row").harness_session_id, new);
    assert_eq!(record(&home, "ops")["harnessSessionId"], new.as_str());
    let started = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!((started.outcome, started.harness_session_id), (Some(Outcome::Resumed), new));
}

#[test]
fn a_stop_records_the_conversation_before_it_ends_the_agent() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let new = clears(&home, "ops", &row.harness_session_id);
    assert_eq!(control(&the_loop, "ops", ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    assert_eq!(record(&home, "ops")["harnessSessionId"], new.as_str());
}
