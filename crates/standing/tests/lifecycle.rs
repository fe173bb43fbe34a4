//! The verbs on a real tmux with the built-in demo agent: what they do when all is well, and what they refuse.

use std::fs;

use serde_json::json;
use standing::{
    ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Error, Outcome, ProblemCode, Row, SayRequest, State,
    Status, TheLoop,
};
use testkit::{TestHome, wait_for};
use wire::{Evidence, Verdict};

fn home() -> TestHome {
    TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).build()
}

fn control(the_loop: &TheLoop, name: &str, verb: ControlVerb) -> Row {
    let report = the_loop.standing().control(&ControlRequest { name: name.to_owned(), verb }).expect("a report");
    report.sessions.into_iter().next().expect("a row")
}

fn create(the_loop: &TheLoop, name: &str) -> Row {
    let report = the_loop.standing().create(&CreateRequest::named(name)).expect("created");
    report.sessions.into_iter().next().expect("a row")
}

fn say(name: &str, text: &str) -> SayRequest {
    SayRequest { name: name.to_owned(), text: text.to_owned(), ..SayRequest::default() }
}

fn shows(home: &TestHome, session: &str, text: &str) {
    wait_for(&format!("{session} to show {text:?}"), || home.tmux().screen(session).contains(text).then_some(()));
}

fn event_names(home: &TestHome) -> Vec<String> {
    home.events().iter().map(|event| event["event"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_session_lives_through_the_whole_cycle_with_one_conversation() {
    let home = home();
    let the_loop = home.the_loop();
    let row = create(&the_loop, "ops");
    assert_eq!(
        (row.outcome, row.status, row.state, row.running),
        (Some(Outcome::Started), Status::Running, State::Running, true)
    );
    assert!(!row.declared && row.auto_start);
    assert_eq!(row.tmux_target, "loop-standing-ops");
    let conversation = row.harness_session_id.clone();
    assert!(!conversation.is_empty());
    shows(&home, "loop-standing-ops", "You own no work item");

    let receipt = the_loop.standing().say(&say("ops", "first words\nsecond line")).expect("said");
    assert_eq!(
        (receipt.delivered, receipt.verdict, receipt.evidence),
        (true, Verdict::Submitted, Evidence::Transcript)
    );
    shows(&home, "loop-standing-ops", "first words");

    assert_eq!(control(&the_loop, "ops", ControlVerb::Start).outcome, Some(Outcome::AlreadyRunning));

    let row = control(&the_loop, "ops", ControlVerb::Stop);
    assert_eq!((row.outcome, row.status, row.state), (Some(Outcome::Stopped), Status::Stopped, State::Stopped));
    assert_eq!(row.harness_session_id, conversation);
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains("SIGTERM")), "{:?}", row.detail);
    assert_eq!(home.tmux().sessions(), Vec::<String>::new());
    assert_eq!(control(&the_loop, "ops", ControlVerb::Stop).outcome, Some(Outcome::NotRunning));

    let row = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!((row.outcome, row.harness_session_id.as_str()), (Some(Outcome::Resumed), conversation.as_str()));
    shows(&home, "loop-standing-ops", "first words");

    let report = the_loop
        .standing()
        .control(&ControlRequest { name: "ops".to_owned(), verb: ControlVerb::Restart })
        .expect("restarted");
    assert_eq!(report.sessions[0].outcome, Some(Outcome::Resumed));
    assert_eq!(report.stopped.expect("the stop half")[0].outcome, Some(Outcome::Stopped));

    let report = the_loop.standing().delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
    assert_eq!((report.sessions[0].outcome, report.sessions[0].status), (Some(Outcome::Deleted), Status::Absent));
    assert_eq!(home.tmux().sessions(), Vec::<String>::new());
    assert!(the_loop.standing().list().expect("listed").is_empty());
    assert_eq!(
        event_names(&home),
        [
            "standing.created",
            "standing.started",
            "standing.said",
            "standing.stopped",
            "standing.resumed",
            "standing.stopped",
            "standing.resumed",
            "standing.stopped",
            "standing.deleted"
        ]
    );
}

#[test]
fn a_declared_session_inherits_and_is_not_deleted() {
    let home = TestHome::builder()
        .exe(env!("CARGO_BIN_EXE_loop-launch"))
        .declare(json!({"name": "watch", "description": "Watches", "autoStart": false}))
        .build();
    let the_loop = home.the_loop();
    let row = the_loop.standing().get("watch").expect("known");
    assert!(row.declared && !row.auto_start);
    assert_eq!((row.status, row.harness.as_str(), row.description.as_str()), (Status::Absent, "demo", "Watches"));
    assert_eq!(control(&the_loop, "watch", ControlVerb::Start).outcome, Some(Outcome::Started));
    let error = the_loop.standing().delete(&DeleteRequest { name: "watch".to_owned() }).expect_err("refused");
    assert_eq!(error.code(), ProblemCode::Declared);
    for part in ["standingSessions.sessions", "the-loop standing stop watch"] {
        assert!(error.problem().detail.contains(part), "{error}");
    }
    let error = the_loop.standing().create(&CreateRequest::named("watch")).expect_err("refused");
    assert!(error.to_string().contains("already declared"), "{error}");
    assert!(control(&the_loop, "watch", ControlVerb::Stop).detail.is_some());
}

#[test]
fn refusals_say_why_and_what_to_type() {
    let home = home();
    let the_loop = home.the_loop();
    let standing = the_loop.standing();
    for verb in [ControlVerb::Start, ControlVerb::Stop, ControlVerb::Restart] {
        let error = standing.control(&ControlRequest { name: "nobody".to_owned(), verb }).expect_err("unknown");
        assert_eq!(error.code(), ProblemCode::UnknownSession, "{verb:?}");
    }
    assert_eq!(
        standing.delete(&DeleteRequest { name: "nobody".to_owned() }).expect_err("unknown").code().http_status(),
        404
    );
    assert_eq!(standing.get("Sup").expect_err("no name").code(), ProblemCode::InvalidName);
    for verb in [ControlVerb::Start, ControlVerb::Stop, ControlVerb::Restart] {
        for name in ["", " ", "\n"] {
            let error = standing.control(&ControlRequest { name: name.to_owned(), verb }).expect_err("no session");
            assert!(matches!(error, Error::InvalidRequest(_)), "{verb:?} {name:?}: {error}");
        }
    }

    let report = standing.create(&CreateRequest { start: false, ..CreateRequest::named("ops") }).expect("recorded");
    assert_eq!(report.sessions[0].status, Status::Stopped);
    let error = standing.create(&CreateRequest::named("ops")).expect_err("taken");
    assert!(error.to_string().contains("already exists"), "{error}");
    let error = standing.say(&say("ops", "hello")).expect_err("not running");
    assert_eq!(error.code(), ProblemCode::NotRunning);
    assert!(error.problem().detail.contains("the-loop standing start ops"), "{error}");
    assert!(home.tmux().sessions().is_empty(), "a message never starts a session");
    for text in ["", " \n ", "\u{1b}\u{7}"] {
        assert!(matches!(standing.say(&say("ops", text)), Err(Error::InvalidRequest(_))), "{text:?}");
    }
    assert!(matches!(standing.say(&say("ops", &"x".repeat(1024 * 1024 + 1))), Err(Error::TooLarge { .. })));
}

#[test]
fn a_live_session_without_a_record_is_never_touched() {
    let home = TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).declare(json!({"name": "ops"})).build();
    let the_loop = home.the_loop();
    home.tmux().start_foreign("loop-standing-ops");
    home.tmux().start_foreign("loop-standing-ops-2");
    let row = the_loop.standing().get("ops").expect("known");
    assert_eq!((row.state, row.running, row.status), (State::Foreign, false, Status::Absent));
    let row = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!(row.outcome, Some(Outcome::Failed));
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains("tmux attach -r -t")), "{:?}", row.detail);
    let row = control(&the_loop, "ops", ControlVerb::Stop);
    assert_eq!(row.outcome, Some(Outcome::Failed));
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains("no record")), "{:?}", row.detail);
    let error = the_loop.standing().say(&say("ops", "hello")).expect_err("refused");
    assert_eq!(error.code(), ProblemCode::NotRunning);
    let report = the_loop.standing().create(&CreateRequest::named("ops-2")).expect("a report");
    assert!(!report.ok);
    assert!(matches!(the_loop.standing().get("ops-2"), Err(Error::Unknown { .. })), "its record was rolled back");
    assert_eq!(home.tmux().sessions(), ["loop-standing-ops", "loop-standing-ops-2"]);
    shows(&home, "loop-standing-ops", "foreign");
    assert!(!home.tmux().screen("loop-standing-ops").contains("hello"));
}

#[test]
fn neighbours_with_longer_names_are_left_alone() {
    let home = home();
    let the_loop = home.the_loop();
    for name in ["x", "x-2", "x-20"] {
        create(&the_loop, name);
    }
    the_loop.standing().say(&say("x", "only for x")).expect("said");
    shows(&home, "loop-standing-x", "only for x");
    control(&the_loop, "x", ControlVerb::Stop);
    assert_eq!(home.tmux().sessions(), ["loop-standing-x-2", "loop-standing-x-20"]);
    let error = the_loop.standing().say(&say("x", "astray")).expect_err("stopped");
    assert_eq!(error.code(), ProblemCode::NotRunning);
    the_loop.standing().delete(&DeleteRequest { name: "x".to_owned() }).expect("deleted");
    for name in ["x-2", "x-20"] {
        assert!(the_loop.standing().get(name).expect("known").running);
        assert!(!home.tmux().screen(&format!("loop-standing-{name}")).contains("astray"));
    }
}

#[test]
fn a_harness_that_dies_at_once_has_failed_and_leaves_nothing() {
    let home = home();
    let the_loop = home.the_loop();
    let request = CreateRequest {
        harness_args: Some(vec!["--fault".to_owned(), "exit-after=10:3".to_owned()]),
        ..CreateRequest::named("brief")
    };
    let report = the_loop.standing().create(&request).expect("a report");
    assert!(!report.ok);
    assert_eq!(report.sessions[0].outcome, Some(Outcome::Failed));
    assert!(
        report.sessions[0].detail.as_deref().is_some_and(|detail| detail.contains("status 3")),
        "{:?}",
        report.sessions[0].detail
    );
    assert!(home.tmux().sessions().is_empty());
    assert!(!home.records().join("brief.json").exists(), "the name is free for the retry");
    assert_eq!(event_names(&home), ["standing.created", "standing.spawn_failed", "standing.create_failed"]);
}

#[test]
fn a_resume_that_does_not_survive_falls_back_to_a_fresh_conversation() {
    let home = home();
    let the_loop = home.the_loop();
    let first = create(&the_loop, "ops").harness_session_id;
    control(&the_loop, "ops", ControlVerb::Stop);
    fs::remove_dir_all(home.home().join(".the-loop-demo")).expect("the transcript is lost");
    let row = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!(row.outcome, Some(Outcome::Started));
    assert_ne!(row.harness_session_id, first);
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains(&first)), "{:?}", row.detail);
    assert_eq!(home.tmux().sessions(), ["loop-standing-ops"]);
    let names = event_names(&home);
    assert_eq!(names[names.len() - 2..], ["standing.resume_failed", "standing.started"]);
    let record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(home.records().join("ops.json")).expect("read")).expect("JSON");
    assert_eq!(record["formerSessionIds"], json!([first]));
}

#[test]
fn a_config_that_cannot_be_used_is_refused_by_every_verb_but_stop() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let good = home.config();
    home.write_config(&format!("{{\"standingSessions\": {{\"sesions\": []}}, \"routing\": {}}}", good["routing"]));
    for the_loop in [the_loop.clone(), home.the_loop()] {
        let standing = the_loop.standing();
        assert_eq!(standing.list().expect_err("refused").code(), ProblemCode::Misconfigured);
        assert_eq!(standing.get("ops").expect_err("refused").code(), ProblemCode::Misconfigured);
        assert_eq!(standing.say(&say("ops", "hi")).expect_err("refused").code(), ProblemCode::Misconfigured);
        assert_eq!(
            standing.create(&CreateRequest::named("more")).expect_err("refused").code(),
            ProblemCode::Misconfigured
        );
        let error = standing.delete(&DeleteRequest { name: "ops".to_owned() }).expect_err("refused");
        assert!(error.to_string().contains("sesions"), "{error}");
    }
    assert_eq!(control(&home.the_loop(), "ops", ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    home.write_config(&good.to_string());
    assert_eq!(control(&the_loop, "ops", ControlVerb::Start).outcome, Some(Outcome::Resumed), "the edit is noticed");
}

#[test]
fn a_brief_of_100_kb_reaches_the_harness_and_is_not_said_twice() {
    let home = home();
    let the_loop = home.the_loop();
    let brief = format!("{}the end of the brief", "a line of a long brief\n".repeat(4500));
    assert!(brief.len() > 100_000);
    let request = CreateRequest { prompt: brief, ..CreateRequest::named("ops") };
    let report = the_loop.standing().create(&request).expect("created");
    assert!(report.ok, "{report:?}");
    control(&the_loop, "ops", ControlVerb::Restart);
    let transcripts = home.home().join(".the-loop-demo/projects");
    let folder = fs::read_dir(transcripts).expect("there").next().expect("one").expect("read").path();
    let transcript =
        fs::read_to_string(folder.join(format!("{}.jsonl", report.sessions[0].harness_session_id))).expect("read");
    assert_eq!(transcript.matches("the end of the brief").count(), 1, "once, as the first turn");
}

#[test]
fn start_and_stop_of_all_work_side_by_side_and_name_what_they_leave() {
    let home = TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).declare(json!({"name": "declared"})).build();
    home.reconfigure("/standingSessions/enabled", json!(false));
    let the_loop = home.the_loop();
    for name in ["a", "b", "c"] {
        let request = CreateRequest { start: false, auto_start: name != "c", ..CreateRequest::named(name) };
        the_loop.standing().create(&request).expect("recorded");
    }
    let report = the_loop.standing().start_auto().expect("a report");
    let said: Vec<_> = report.sessions.iter().map(|row| (row.name.as_str(), row.outcome)).collect();
    assert_eq!(
        said,
        [("a", Some(Outcome::Started)), ("b", Some(Outcome::Started)), ("declared", Some(Outcome::NotRunning))]
    );
    assert!(report.sessions[2].detail.as_deref().is_some_and(|detail| detail.contains("standingSessions.enabled")));
    let report = the_loop.standing().stop_all().expect("a report");
    assert!(report.ok);
    assert_eq!(report.sessions.len(), 3, "every recorded session");
    assert!(home.tmux().sessions().is_empty());
}

#[test]
fn a_thread_is_bound_once_and_stays_until_the_session_is_deleted() {
    let home = home();
    let the_loop = home.the_loop();
    let standing = the_loop.standing();
    assert!(matches!(standing.bind_thread("ops", "C1", "1.000001"), Err(Error::Unknown { .. })));
    let request = CreateRequest {
        slack_enabled: true,
        slack_channel: "#ops".to_owned(),
        start: false,
        ..CreateRequest::named("ops")
    };
    standing.create(&request).expect("created");
    let thread = |row: &Row| (row.slack_channel.clone(), row.slack_thread.clone());
    let bound = ("C1".to_owned(), "1.000001".to_owned());
    assert_eq!(thread(&standing.bind_thread("ops", "C1", "1.000001").expect("bound")), bound);
    assert_eq!(thread(&standing.bind_thread("ops", "C2", "2.000002").expect("bound already")), bound);
    assert_eq!(control(&the_loop, "ops", ControlVerb::Start).outcome, Some(Outcome::Started));
    assert_eq!(thread(&standing.get("ops").expect("a row")), bound, "a start keeps the thread");
    standing.delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
    standing.create(&request).expect("created anew");
    assert_eq!(thread(&standing.get("ops").expect("a row")), ("#ops".to_owned(), String::new()), "a new session");
    standing.delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
}

#[test]
fn the_details_tell_where_a_session_comes_from_and_no_value_of_a_variable() {
    let entry = json!({ "name": "declared", "harnessArgs": ["--fault", "slow"], "env": { "TOKEN": "marmalade" } });
    let home = TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).declare(entry).build();
    let the_loop = home.the_loop();
    let declared = the_loop.standing().details("declared").expect("declared");
    let text = fs::read_to_string(home.config_file()).expect("a config");
    let line = text.lines().position(|line| line.contains("\"declared\"")).map(|line| line + 1);
    assert_eq!((declared.declared_at, declared.harness_args.len()), (line, 2));
    assert!(declared.created_by.is_empty() && !format!("{declared:?}").contains("marmalade"), "{declared:?}");
    create(&the_loop, "ops");
    let created = the_loop.standing().details("ops").expect("recorded");
    assert_eq!((created.declared_at, created.created_by.as_str()), (None, "test"));
    assert!(matches!(the_loop.standing().details("nothing"), Err(Error::Unknown { .. })));
}
