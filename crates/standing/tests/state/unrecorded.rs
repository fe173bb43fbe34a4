//! A session whose record is gone: a row of its own, which `restore` brings back.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use standing::{Check, ControlVerb, CreateRequest, Error, Outcome, PlannedAction, SecretSource, State, TheLoop};
use testkit::wait_for;

use crate::scene::{agents, builder, control, create, delete, home, outcome, record, row, say, state};

/// Removes the state as `git clean -fdx` does.
fn remove_state(home: &testkit::TestHome) {
    fs::remove_dir_all(home.project().join(".the-loop/local")).expect("removed");
    let _ = fs::remove_dir_all(home.project().join(".the-loop/logs"));
}

#[test]
fn a_session_without_a_record_is_a_row_with_its_conversation_and_restore_brings_it_back() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    say(&the_loop, "x").expect("said");
    let (before, pid) = (record(&home, "x"), agents(&home));
    remove_state(&home);

    let listed = row(&the_loop, "x");
    assert_eq!(state(&the_loop, "x"), State::Unrecorded);
    assert_eq!(json!(listed.harness_session_id), before["harnessSessionId"]);
    assert_eq!((listed.harness.as_str(), listed.running), ("demo", false));
    assert!(listed.reason.contains("the-loop standing restore x"), "{}", listed.reason);
    let status = the_loop.standing().status().expect("a report");
    assert!(!status.ok && status.sessions.len() == 1, "{status:?}");
    let plan = the_loop.standing().plan().expect("a plan");
    assert_eq!((plan[0].action, plan[0].state), (PlannedAction::Fail, State::Unrecorded));
    let found = the_loop.doctor().into_iter().find(|found| found.check == Check::Session).expect("a finding");
    let conversation = before["harnessSessionId"].as_str().expect("an id");
    assert!(found.what.contains(conversation) && found.remedy.contains("restore x"), "{found:?}");

    // No verb touches it, and none says that all is well.
    for refused in [say(&the_loop, "x").map(drop), delete(&the_loop, "x").map(drop)] {
        let error = refused.expect_err("refused");
        assert!(matches!(error, Error::Unrecorded { .. }) && error.problem().detail.contains("restore x"), "{error}");
    }
    assert!(matches!(control(&the_loop, "x", ControlVerb::Start), Err(Error::Unrecorded { .. })));
    assert_eq!(outcome(control(&the_loop, "x", ControlVerb::Stop)).0, Some(Outcome::Failed));
    let all = the_loop.standing().stop_all().expect("a report");
    assert!(
        !all.ok && all.sessions[0].detail.as_deref().is_some_and(|detail| detail.contains("record is missing")),
        "{all:?}"
    );
    for start in [true, false] {
        let again = the_loop.standing().create(&CreateRequest { start, ..CreateRequest::named("x") });
        assert!(matches!(again, Err(Error::Unrecorded { .. })), "{again:?}");
    }
    assert_eq!(agents(&home), pid, "was not touched");

    let (restored, detail) = outcome(the_loop.standing().restore("x"));
    assert_eq!(restored, Some(Outcome::AlreadyRunning), "{detail}");
    assert_eq!(state(&the_loop, "x"), State::Running);
    let after = record(&home, "x");
    for key in ["harnessSessionId", "harness", "cwd", "loopId", "process", "description", "autoStart", "createdAt"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    say(&the_loop, "x").expect("said");
    assert!(the_loop.standing().restore("x").is_err(), "it has a record");
    assert_eq!(outcome(control(&the_loop, "x", ControlVerb::Restart)).0, Some(Outcome::Resumed));
}

#[test]
fn a_declared_session_without_a_record_is_told_of_as_well() {
    let home = builder().declare(json!({"name": "x"})).build();
    let the_loop = home.the_loop();
    assert_eq!(outcome(control(&the_loop, "x", ControlVerb::Start)).0, Some(Outcome::Started));
    remove_state(&home);
    assert_eq!(state(&the_loop, "x"), State::Unrecorded);
    let (started, detail) = outcome(control(&the_loop, "x", ControlVerb::Start));
    assert!(started == Some(Outcome::Failed) && detail.contains("restore x"), "{detail}");
    assert!(detail.contains("tmux attach -r -t"), "{detail}");
    let (restarted, detail) = outcome(control(&the_loop, "x", ControlVerb::Restart));
    assert_eq!(restarted, Some(Outcome::Failed), "{detail}");
    the_loop.standing().restore("x").expect("restored");
    assert_eq!(record(&home, "x")["origin"], "declared");
    assert_eq!(state(&the_loop, "x"), State::Running);
}

#[test]
fn without_what_the_session_carries_the_process_tells_its_conversation() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    let before = record(&home, "x");
    remove_state(&home);
    home.tmux().run(&["set-option", "-u", "-t", "=loop-standing-x:", "@loop_record"]);
    assert_eq!(json!(row(&the_loop, "x").harness_session_id), before["harnessSessionId"]);
    the_loop.standing().restore("x").expect("restored");
    let after = record(&home, "x");
    for key in ["harnessSessionId", "harness", "cwd", "loopId"] {
        assert_eq!(after[key], before[key], "{key}");
    }
}

/// The event of the last restore.
fn restored_event(home: &testkit::TestHome) -> Value {
    let log = fs::read_to_string(home.project().join(".the-loop/logs/events.jsonl")).expect("a log");
    let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    events.rfind(|event| event["event"] == "standing.restored").expect("restored")
}

/// Creates a session with a variable, a secret and a brief.
fn create_with_private_keys(the_loop: &TheLoop, home: &testkit::TestHome) {
    let secret = home.project().join("token");
    fs::write(&secret, "s3cret-value").expect("written");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).expect("private");
    let request = CreateRequest {
        env: [("K".to_owned(), Some("env-value".to_owned()))].into(),
        secrets: [("TOK".to_owned(), SecretSource::File(secret.display().to_string()))].into(),
        prompt: "watch the items".to_owned(),
        ..CreateRequest::named("x")
    };
    let report = the_loop.standing().create(&request).expect("a report");
    assert!(report.ok, "{report:?}");
}

#[test]
fn a_restore_names_the_variables_secrets_and_brief_that_are_gone_and_what_to_do() {
    let home = home();
    let the_loop = home.the_loop();
    create_with_private_keys(&the_loop, &home);
    remove_state(&home);
    let (_, detail) = outcome(the_loop.standing().restore("x"));
    assert!(detail.contains("not restored: `env.K`, `secrets.TOK` and brief"), "{detail}");
    assert!(detail.contains("standingSessions.sessions") && detail.contains("cli-config.yaml"), "{detail}");
    assert_eq!(restored_event(&home)["not_restored"], json!(["env.K", "secrets.TOK", "prompt"]));
    let after = record(&home, "x");
    assert!(["env", "secrets", "leftOut"].iter().all(|key| after.get(key).is_none()), "{after}");

    // The copy is in a command line that other users can read: names only.
    let kept = home.tmux().run(&["show-options", "-v", "-t", "=loop-standing-x:", "@loop_record"]);
    let kept = String::from_utf8_lossy(&kept.stdout);
    assert!(kept.contains("env.K"), "{kept}");
    for value in ["env-value", "s3cret-value", "watch the items", "/token"] {
        assert!(!kept.contains(value), "{kept}");
    }

    // The advice works: the session gets them again, in its conversation.
    let declared = json!([{"name": "x", "env": {"K": "env-value"}, "harness": "demo"}]);
    home.reconfigure("/standingSessions/sessions", declared);
    let the_loop = home.the_loop();
    assert_eq!(outcome(control(&the_loop, "x", ControlVerb::Restart)).0, Some(Outcome::Resumed));
    assert_eq!(record(&home, "x")["env"]["K"], "env-value");
    assert_eq!(record(&home, "x")["harnessSessionId"], after["harnessSessionId"]);
}

#[test]
fn a_restore_from_the_process_alone_says_that_the_definition_is_gone() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    remove_state(&home);
    home.tmux().run(&["set-option", "-u", "-t", "=loop-standing-x:", "@loop_record"]);
    let (_, detail) = outcome(the_loop.standing().restore("x"));
    let missing = "not restored: environment variables, secrets, brief, arguments and description";
    assert!(detail.contains(missing), "{detail}");
}

#[test]
fn a_restore_that_loses_nothing_says_nothing_more() {
    let home = builder().declare(json!({"name": "declared", "env": {"K": "v"}, "prompt": "p"})).build();
    let the_loop = home.the_loop();
    control(&the_loop, "declared", ControlVerb::Start).expect("started");
    create(&the_loop, "plain");
    remove_state(&home);
    for name in ["declared", "plain"] {
        let (_, detail) = outcome(the_loop.standing().restore(name));
        assert!(!detail.contains("not restored"), "{name}: {detail}");
        assert!(restored_event(&home).get("not_restored").is_none(), "{name}");
    }
}

#[test]
fn a_session_of_another_folder_is_not_shown_and_not_restored() {
    let (ours, theirs) = (home(), home());
    theirs.reconfigure("/routing/tmux/socket", json!(ours.tmux().name()));
    create(&ours.the_loop(), "x");
    let other = theirs.the_loop();
    assert_eq!(other.standing().list().expect("a list"), []);
    assert!(matches!(other.standing().get("x"), Err(Error::Unknown { .. })));
    assert!(matches!(other.standing().restore("x"), Err(Error::Unknown { .. })));
    assert!(!theirs.records().join("x.json").exists());
}

#[test]
fn a_stop_of_all_tells_of_a_harness_that_has_neither_a_record_nor_a_session() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    remove_state(&home);
    home.tmux().run(&["rename-session", "-t", "=loop-standing-x", "mine"]);
    let report = the_loop.standing().stop_all().expect("a report");
    let detail = report.sessions[0].detail.clone().unwrap_or_default();
    assert!(!report.ok && detail.contains(&format!("(pid {})", agents(&home)[0])), "{report:?}");
    // Back under its name it can be restored, and stopped.
    home.tmux().run(&["rename-session", "-t", "=mine", "loop-standing-x"]);
    let started = the_loop.standing().start_all().expect("a report");
    assert!(!started.ok && started.sessions[0].detail.as_deref().is_some_and(|detail| detail.contains("restore x")));
    the_loop.standing().restore("x").expect("restored");
    assert!(the_loop.standing().stop_all().expect("a report").ok);
    assert_eq!(agents(&home), [] as [i32; 0]);
}

#[test]
fn a_session_whose_agent_has_ended_is_not_unrecorded() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    remove_state(&home);
    let agent = nix::unistd::Pid::from_raw(agents(&home)[0]);
    nix::sys::signal::kill(agent, nix::sys::signal::Signal::SIGKILL).expect("it lives");
    wait_for("its end", || the_loop.standing().list().expect("a list").is_empty().then_some(()));
}

#[test]
fn a_new_state_folder_is_ignored_by_git_and_an_ignore_file_of_the_operator_stays() {
    let home = home();
    let ignore = home.project().join(".the-loop/.gitignore");
    create(&home.the_loop(), "x");
    assert!(fs::read_to_string(&ignore).expect("there").lines().any(|line| line == "*"));
    let elsewhere = builder().set("/state/root", json!("elsewhere/state")).build();
    create(&elsewhere.the_loop(), "y");
    assert!(elsewhere.project().join("elsewhere/state/.gitignore").exists());
    fs::write(&ignore, "local\n").expect("written");
    create(&home.the_loop(), "z");
    assert_eq!(fs::read_to_string(&ignore).expect("there"), "local\n");
}
