//! Row 29: every verb refuses a config that cannot be used, and names the place. `stop` works anyway.

use standing::{
    ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Error, Outcome, ProblemCode, Status, TheLoop,
};
use testkit::{TestHome, assert_nothing_spawned, wait_for};

use crate::stage::{begin, control, home, id_of, living, message};

/// Lines 3 and on of a config whose first line is the routing block, and where its mistake is.
fn broken() -> Vec<(&'static str, String, &'static str, &'static str)> {
    let entries = "standingSessions:\n  sessions:\n    - name: ops\n";
    let long = "a".repeat(41);
    let name = "`standingSessions.sessions[1].name`";
    vec![
        ("an unknown key", "standingSessions:\n  sesions: []\n".to_owned(), "3:3", "`standingSessions.sesions`"),
        ("a wrong type", "standingSessions:\n  enabled: 'yes'\n".to_owned(), "3:12", "`standingSessions.enabled`"),
        ("a name twice", format!("{entries}    - name: b\n    - name: ops\n"), "6:13", "`sessions[0]`"),
        ("a tab", format!("{entries}\tcwd: x\n"), "5:1", "tab in the indentation"),
        ("41 characters", format!("{entries}    - name: {long}\n"), "5:13", name),
        ("a capital", format!("{entries}    - name: Sup\n"), "5:13", name),
        ("a newline in a name", format!("{entries}    - name: \"a\\n\"\n"), "5:13", name),
        (
            "two briefs",
            format!("{entries}      prompt: x\n      promptFile: y\n"),
            "6:7",
            "`standingSessions.sessions[0].promptFile`",
        ),
    ]
}

/// Every verb but stop, each as an error or nothing.
fn every_verb(the_loop: &TheLoop) -> Vec<(&'static str, Option<Error>)> {
    let standing = the_loop.standing();
    let control = |name: &str, verb| standing.control(&ControlRequest { name: name.to_owned(), verb }).err();
    vec![
        ("list", standing.list().err()),
        ("survey", standing.survey(5).err()),
        ("get", standing.get("ops").err()),
        ("screen", standing.screen("ops", 5).err()),
        ("create", standing.create(&CreateRequest::named("more")).err()),
        ("delete", standing.delete(&DeleteRequest { name: "ops".to_owned() }).err()),
        ("start", control("ops", ControlVerb::Start)),
        ("restart", control("ops", ControlVerb::Restart)),
        ("start all", control("", ControlVerb::Start)),
        ("start auto", standing.start_auto().err()),
        ("say", standing.say(&message("ops", "hello")).err()),
        ("bind", standing.bind_thread("ops", "C1", "1.000001").err()),
        ("harnesses", the_loop.harnesses().err()),
    ]
}

fn write(home: &TestHome, routing: &str, rest: &str) {
    home.write_config(&format!("routing: {routing}\n{rest}"));
}

#[test]
fn row_29_every_verb_but_stop_refuses_with_file_line_and_key_and_stop_stops() {
    let home = home();
    let routing = home.config()["routing"].to_string();
    let running = home.the_loop();
    let row = begin(&running, &CreateRequest::named("ops"));
    let file = home.config_file().display().to_string();
    for (what, rest, place, key) in broken() {
        write(&home, &routing, &rest);
        // As a service that runs already sees it, and as a command that begins with it.
        for the_loop in [running.clone(), home.the_loop()] {
            for (verb, error) in assert_nothing_spawned(&home, || every_verb(&the_loop)) {
                let Some(error) = error else { panic!("{verb} went on with {what}") };
                assert_eq!(error.code(), ProblemCode::Misconfigured, "{verb}, {what}: {error}");
                for part in [format!("{file}:{place}"), key.to_owned()] {
                    assert!(error.to_string().contains(&part), "{verb}, {what}: {error} lacks {part}");
                }
            }
        }
        for the_loop in [running.clone(), home.the_loop()] {
            let id = id_of(&home, "ops");
            let stopped = control(&the_loop, "ops", ControlVerb::Stop);
            assert_eq!((stopped.outcome, stopped.status), (Some(Outcome::Stopped), Status::Stopped), "{what}");
            assert!(living(&id).is_empty() && home.tmux().sessions().is_empty(), "{what}: something lives on");
            write(&home, &routing, "");
            let resumed = control(&running, "ops", ControlVerb::Start);
            assert_eq!(resumed.outcome, Some(Outcome::Resumed), "{what}");
            assert_eq!(resumed.harness_session_id, row.harness_session_id);
            write(&home, &routing, &rest);
        }
    }
    let report = home.the_loop().standing().stop_all().expect("a report");
    assert!(report.ok && report.sessions.len() == 1, "{report:?}");
    assert!(home.tmux().sessions().is_empty());
}

#[test]
fn row_29_stop_stops_where_not_even_the_tmux_server_can_be_read_from_the_file() {
    let home = home();
    let routing = home.config()["routing"].to_string();
    let row = begin(&home.the_loop(), &CreateRequest::named("ops"));
    let id = id_of(&home, "ops");
    home.write_config("routing: {tmux: {socket: [\n");
    let stopped = control(&home.the_loop(), "ops", ControlVerb::Stop);
    assert_eq!(stopped.outcome, Some(Outcome::Stopped), "{stopped:?}");
    wait_for("its harness to be gone", || living(&id).is_empty().then_some(()));
    write(&home, &routing, "");
    let resumed = control(&home.the_loop(), "ops", ControlVerb::Start);
    assert_eq!((resumed.outcome, resumed.harness_session_id), (Some(Outcome::Resumed), row.harness_session_id));
    assert_eq!(home.tmux().sessions(), ["loop-standing-ops"]);
}
