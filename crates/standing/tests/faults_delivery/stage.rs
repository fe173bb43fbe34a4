//! Fixtures of the tests of these rows: a home, its sessions, their transcripts and their processes.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;
use standing::{
    ControlRequest, ControlVerb, CreateRequest, Outcome, Row, SayReceipt, SayRequest, SessionName, TheLoop,
    timeline::{Entry, Kinds, TimelineQuery},
};
use testkit::{TestHome, TestHomeBuilder, wait_for};

/// The launcher under test, which is the demo harness as well.
pub(crate) const LAUNCHER: &str = env!("CARGO_BIN_EXE_loop-launch");

pub(crate) fn builder() -> TestHomeBuilder {
    TestHome::builder().exe(LAUNCHER)
}

pub(crate) fn home() -> TestHome {
    builder().build()
}

/// A request for a demo that misbehaves in these ways.
pub(crate) fn faulty(name: &str, faults: &[&str]) -> CreateRequest {
    let args = faults.iter().flat_map(|fault| ["--fault".to_owned(), (*fault).to_owned()]).collect();
    CreateRequest { harness_args: Some(args), ..CreateRequest::named(name) }
}

/// Creates and starts; the row, however it went.
pub(crate) fn create(the_loop: &TheLoop, request: &CreateRequest) -> Row {
    let report = the_loop.standing().create(request).expect("a report");
    report.sessions.into_iter().next().expect("a row")
}

/// Creates and starts a session that must run then.
#[track_caller]
pub(crate) fn begin(the_loop: &TheLoop, request: &CreateRequest) -> Row {
    let row = create(the_loop, request);
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    row
}

#[track_caller]
pub(crate) fn control(the_loop: &TheLoop, name: &str, verb: ControlVerb) -> Row {
    let report = the_loop.standing().control(&ControlRequest { name: name.to_owned(), verb }).expect("a report");
    report.sessions.into_iter().next().expect("a row")
}

pub(crate) fn message(name: &str, text: &str) -> SayRequest {
    SayRequest { name: name.to_owned(), text: text.to_owned(), ..SayRequest::default() }
}

#[track_caller]
pub(crate) fn say(the_loop: &TheLoop, name: &str, text: &str) -> SayReceipt {
    the_loop.standing().say(&message(name, text)).expect("a receipt")
}

/// The messages and answers in the timeline of a session, newest first.
#[track_caller]
pub(crate) fn kept(the_loop: &TheLoop, name: &str) -> Vec<Entry> {
    let session = Some(SessionName::parse(name).expect("a name"));
    let query = TimelineQuery { session, kinds: Kinds::Messages, ..TimelineQuery::default() };
    the_loop.timeline(&query).expect("a timeline").entries
}

/// The transcript of the demo that a row tells of: kinds and words, oldest first.
pub(crate) fn transcript(home: &TestHome, row: &Row) -> Vec<(String, String)> {
    let text = fs::read_to_string(transcript_path(home, row)).unwrap_or_default();
    let word = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|line| (word(&line, "type"), testkit::without_id(&word(&line, "text"))))
        .collect()
}

pub(crate) fn transcript_path(home: &TestHome, row: &Row) -> PathBuf {
    let folder: String = row.cwd.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
    home.home().join(".the-loop-demo/projects").join(folder).join(format!("{}.jsonl", row.harness_session_id))
}

/// The turns that were submitted, the boot prompt left out.
pub(crate) fn said(home: &TestHome, row: &Row) -> Vec<String> {
    let turns = transcript(home, row).into_iter().filter(|(kind, _)| kind == "user");
    turns.map(|(_, text)| text).skip(1).collect()
}

/// Waits for a session's pane to show something.
#[track_caller]
pub(crate) fn shows(home: &TestHome, name: &str, text: &str) {
    let session = format!("loop-standing-{name}");
    wait_for(&format!("{name} to show {text:?}"), || home.tmux().screen(&session).contains(text).then_some(()));
}

/// The marker that the harness of a session and whatever it started carry.
#[track_caller]
pub(crate) fn id_of(home: &TestHome, name: &str) -> String {
    let text = fs::read_to_string(home.records().join(format!("{name}.json"))).expect("a record");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    format!("THE_LOOP_ID={}", record["loopId"].as_str().expect("an id"))
}

/// The pids of the living processes that carry a marker.
pub(crate) fn living(marker: &str) -> BTreeSet<i32> {
    testkit::marked(marker).into_iter().map(|(pid, _)| pid).collect()
}

pub(crate) fn event_names(home: &TestHome) -> Vec<String> {
    home.events().iter().map(|event| event["event"].as_str().unwrap_or_default().to_owned()).collect()
}
/// Returns a message in the form in which it arrives.
pub(crate) fn framed(name: &str, text: &str) -> String {
    format!("[the-loop] A message for standing session `{name}`:\n\n{text}")
}
