//! Fixtures of these tests: a home, and readers of its actual state.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use standing::{
    ControlReport, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Error, Outcome, Row, SayReceipt,
    SayRequest, State, TheLoop,
};
use testkit::{TestHome, TestHomeBuilder, marked};

pub(crate) fn home() -> TestHome {
    builder().build()
}

pub(crate) fn builder() -> TestHomeBuilder {
    TestHome::builder()
        .exe(env!("CARGO_BIN_EXE_loop-launch"))
        .set("/routing/tmux/resumeProbeSeconds", json!(0.05))
        .set("/routing/tmux/harnessKillGraceSeconds", json!(1))
}

pub(crate) fn create(the_loop: &TheLoop, name: &str) {
    let request = CreateRequest { description: "watches".to_owned(), ..CreateRequest::named(name) };
    let report = the_loop.standing().create(&request).expect("a report");
    assert!(report.ok, "{report:?}");
}

pub(crate) fn control(the_loop: &TheLoop, name: &str, verb: ControlVerb) -> Result<ControlReport, Error> {
    the_loop.standing().control(&ControlRequest { name: name.to_owned(), verb })
}

pub(crate) fn delete(the_loop: &TheLoop, name: &str) -> Result<ControlReport, Error> {
    the_loop.standing().delete(&DeleteRequest { name: name.to_owned() })
}

pub(crate) fn say(the_loop: &TheLoop, name: &str) -> Result<SayReceipt, Error> {
    the_loop.standing().say(&SayRequest { name: name.to_owned(), text: "hello".to_owned(), ..SayRequest::default() })
}

pub(crate) fn outcome(report: Result<ControlReport, Error>) -> (Option<Outcome>, String) {
    let report = report.expect("a report");
    let row = &report.sessions[0];
    (row.outcome, row.detail.clone().unwrap_or_default())
}

#[track_caller]
pub(crate) fn row(the_loop: &TheLoop, name: &str) -> Row {
    let rows = the_loop.standing().list().expect("a list");
    rows.into_iter().find(|row| row.name == name).unwrap_or_else(|| panic!("{name} is not listed"))
}

#[track_caller]
pub(crate) fn state(the_loop: &TheLoop, name: &str) -> State {
    let listed = row(the_loop, name).state;
    assert_eq!(the_loop.standing().get(name).expect("known").state, listed, "one story");
    listed
}

pub(crate) fn record_file(home: &TestHome, name: &str) -> PathBuf {
    home.records().join(format!("{name}.json"))
}

#[track_caller]
pub(crate) fn record(home: &TestHome, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(record_file(home, name)).expect("a record")).expect("JSON")
}

/// The living demo agents of a home.
pub(crate) fn agents(home: &TestHome) -> Vec<i32> {
    marked(home.marker()).into_iter().filter(|(_, line)| line.contains(" demo ")).map(|(pid, _)| pid).collect()
}

/// Rewrites a record as the published program does: with its own keys and nothing else.
pub(crate) fn rewrite_as_the_published_program(home: &TestHome, name: &str) {
    const KEYS: [&str; 16] = [
        "name",
        "harness",
        "harnessSessionId",
        "cwd",
        "tmuxTarget",
        "status",
        "createdAt",
        "startedAt",
        "lastMessageAt",
        "slackChannel",
        "slackThread",
        "description",
        "harnessArgs",
        "prompt",
        "autoStart",
        "slackEnabled",
    ];
    let mut value = record(home, name);
    value.as_object_mut().expect("an object").retain(|key, _| KEYS.contains(&key.as_str()));
    value["lastMessageAt"] = json!("2026-11-30T00:00:00Z");
    fs::write(record_file(home, name), format!("{value:#}\n")).expect("written");
}
