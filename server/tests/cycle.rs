//! The life of a session over both surfaces, with the built-in agent and with a custom one, in a real tmux: create,
//! message, stop, start with the same conversation, restart and delete. Nothing is left afterwards.

use std::fs;

use serde_json::{Value, json};
use standing::config::Service;
use testkit::{TestHome, wait_for};

use crate::app::{App, Command, SESSIONS, THE_LOOP, problem};

/// Both kinds of harness: the built-in one and one made of a command.
const HARNESSES: [&str; 2] = ["demo", "echoer"];

const TMUX: &str = "loop-standing-ops";

/// Each test over REST talks to the service as a program does; this is the verb's answer, status 200.
async fn done(app: &App, verb: &str, body: &Value) -> Value {
    let answer = app.post(&format!("{SESSIONS}/{verb}"), body.to_string()).await;
    assert_eq!(answer.status, 200, "{verb} {body}: {}", answer.text());
    answer.json()
}

/// The one row of a report that must be ok.
#[track_caller]
fn only_row(report: &Value) -> &Value {
    assert_eq!(report["ok"], true, "{report:#}");
    let rows = report["sessions"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{report:#}");
    &rows[0]
}

#[track_caller]
fn outcome(report: &Value, expected: &str, status: &str) -> String {
    let row = only_row(report);
    assert_eq!((&row["outcome"], &row["status"]), (&json!(expected), &json!(status)), "{row:#}");
    assert_eq!(row["running"], status == "running", "{row:#}");
    assert_eq!((&row["name"], &row["tmuxTarget"], &row["ref"]), (&json!("ops"), &json!(TMUX), &json!("standing:ops")));
    row["harnessSessionId"].as_str().expect("an id").to_owned()
}

fn seen(home: &TestHome, words: &str) {
    wait_for(&format!("`{words}` in the pane"), || home.tmux().screen(TMUX).contains(words).then_some(()));
}

fn nothing_left(home: &TestHome) {
    assert_eq!(home.tmux().sessions(), Vec::<String>::new());
    let records: Vec<_> = fs::read_dir(home.records()).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert!(!records.iter().any(|name| name.to_string_lossy().ends_with(".json")), "{records:?}");
}

/// Checks that a resumed agent shows its earlier conversation.
fn resumed_as_before(home: &TestHome, harness: &str, id: &str) {
    if harness == "demo" {
        return seen(home, "first words");
    }
    let log = fs::read_to_string(home.home().join("echoer.log")).expect("the agent's log");
    assert!(log.lines().any(|line| line == format!("--resume {id}")), "{log}");
}

#[tokio::test]
async fn over_rest() {
    for harness in HARNESSES {
        let app = App::new();
        let body = json!({ "name": "ops", "harness": harness, "description": "watches", "prompt": "be brief" });
        let id = outcome(&done(&app, "create", &body).await, "started", "running");
        assert_eq!(id.len(), 36, "{id}");

        let rows = app.get(SESSIONS).await.json();
        let row = app.get(&format!("{SESSIONS}/one?name=ops")).await.json();
        assert_eq!(rows[0]["name"], row["name"]);
        for (key, value) in [
            ("declared", json!(false)),
            ("description", json!("watches")),
            ("autoStart", json!(true)),
            ("harness", json!(harness)),
            ("cwd", json!(app.home.work())),
            ("harnessSessionId", json!(id)),
        ] {
            assert_eq!(row[key], value, "{key}");
        }
        assert!(row.get("outcome").is_none() && row.get("detail").is_none(), "a listing has no outcomes");

        let receipt = done(&app, "say", &json!({ "name": "ops", "text": "first words", "actor": "a test" })).await;
        assert_eq!((&receipt["delivered"], &receipt["exitCode"]), (&json!(true), &json!(0)), "{receipt:#}");
        seen(&app.home, "first words");
        let screen = app.get(&format!("{SESSIONS}/screen?name=ops&lines=50")).await.json();
        assert!(screen["text"].as_str().expect("text").contains("first words"), "{screen:#}");

        let again = done(&app, "control", &json!({ "name": "ops", "verb": "start" })).await;
        assert_eq!(outcome(&again, "already-running", "running"), id);
        let stopped = done(&app, "control", &json!({ "name": "ops", "verb": "stop" })).await;
        assert_eq!(outcome(&stopped, "stopped", "stopped"), id);
        assert_eq!(app.home.tmux().sessions(), Vec::<String>::new());
        let idle = done(&app, "control", &json!({ "name": "ops", "verb": "stop" })).await;
        assert_eq!(outcome(&idle, "not-running", "stopped"), id);

        let resumed = done(&app, "control", &json!({ "name": "ops", "verb": "start" })).await;
        assert_eq!(outcome(&resumed, "resumed", "running"), id);
        resumed_as_before(&app.home, harness, &id);
        let restarted = done(&app, "control", &json!({ "name": "ops", "verb": "restart" })).await;
        assert_eq!(outcome(&restarted, "resumed", "running"), id);
        assert_eq!(restarted["stopped"][0]["outcome"], "stopped");

        let deleted = done(&app, "delete", &json!({ "name": "ops" })).await;
        outcome(&deleted, "deleted", "absent");
        assert_eq!(app.get(&format!("{SESSIONS}/one?name=ops")).await.status, 404);
        nothing_left(&app.home);
    }
}

#[test]
fn over_the_command_line() {
    for harness in HARNESSES {
        let home = TestHome::builder().exe(THE_LOOP).build();
        let cli = Command::in_home(&home);
        cli.ok(&["create", "ops", "--harness", harness, "--description", "watches"], "ops  started");
        let row: Value = serde_json::from_str(&cli.run(&["get", "ops", "--format", "json"]).out).expect("one document");
        let id = row["harnessSessionId"].as_str().expect("an id").to_owned();
        let listed = cli.run(&["list"]);
        let lines: Vec<Vec<&str>> = listed.out.lines().map(|line| line.split_whitespace().collect()).collect();
        // The published columns; what came later stands behind them.
        assert_eq!(lines[0][..7], ["Name", "Harness", "Tmux", "Declared", "Status", "Live", "Slack"]);
        assert_eq!(lines[1][..7], ["ops", harness, TMUX, "no", "running", "yes", "-"]);
        assert_eq!(lines.len(), 2);

        let said = cli.run(&["say", "ops", "--text", "first words", "--actor", "a test"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        seen(&home, "first words");
        assert_eq!(cli.fed("from a pipe\n", &["say", "ops", "-"]).code, 0);
        seen(&home, "from a pipe");
        assert_eq!(cli.fed("from a flag\n", &["say", "ops", "--text", "-"]).code, 0);
        seen(&home, "from a flag");
        assert_eq!(cli.run(&["say", "ops", "--text", "--not-an-option"]).code, 0);
        seen(&home, "--not-an-option");

        cli.ok(&["start", "ops"], "ops  already-running");
        cli.ok(&["stop", "ops"], "ops  stopped");
        cli.ok(&["start"], "ops  resumed");
        resumed_as_before(&home, harness, &id);
        let restarted = cli.ok(&["restart", "ops"], "ops  stopped");
        assert!(restarted.lines().nth(1).expect("a second line").starts_with("ops  resumed"), "{restarted}");
        cli.ok(&["stop"], "ops  stopped");
        cli.ok(&["delete", "ops"], "ops  deleted");
        nothing_left(&home);
    }
}

/// The body of a create whose session asks at once.
fn asking(question: &str) -> Value {
    json!({ "name": "ops", "harnessArgs": ["--fault", format!("dialog={question}")] })
}

#[tokio::test]
async fn a_question_is_answered_over_rest() {
    let app = App::new();
    done(&app, "create", &asking("Go on with it?")).await;
    seen(&app.home, "Go on with it?");
    let row = app.get(&format!("{SESSIONS}/one?name=ops")).await.json();
    assert_eq!(row["choices"][1], json!({ "key": "2", "text": "Yes, go on" }), "{row:#}");
    let wrong = app.post(&format!("{SESSIONS}/answer"), json!({ "name": "ops", "choice": "9" }).to_string()).await;
    problem(&wrong, 409, "not-waiting");
    let receipt = done(&app, "answer", &json!({ "name": "ops", "choice": "2", "question": row["question"] })).await;
    assert_eq!((&receipt["verdict"], &receipt["evidence"]), (&json!("submitted"), &json!("question-gone")));
    let row = app.get(&format!("{SESSIONS}/one?name=ops")).await.json();
    assert!(row["activity"] == "idle" && row.get("choices").is_none(), "{row:#}");
    done(&app, "delete", &json!({ "name": "ops" })).await;
}

#[test]
fn a_question_is_answered_on_the_command_line() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let cli = Command::in_home(&home);
    cli.ok(&["create", "ops", "--harness-arg=--fault", "--harness-arg=dialog=Go on with it?"], "ops  started");
    seen(&home, "Go on with it?");
    let shown = cli.run(&["answer", "ops"]);
    assert_eq!((shown.code, shown.out.as_str()), (0, "Go on with it?\n  1  No, exit\n  2  Yes, go on\n"));
    let wrong = cli.run(&["answer", "ops", "maybe"]);
    assert!(wrong.code == 1 && wrong.err.contains("1. No, exit; 2. Yes, go on"), "{wrong:?}");
    let chosen = cli.run(&["answer", "ops", "yes, go on", "--actor", "a test"]);
    assert!(chosen.code == 0 && chosen.out.contains("the prompt closed"), "{chosen:?}");
    let none = cli.run(&["answer", "ops"]);
    assert_eq!((none.code, none.out.as_str()), (1, "`ops` is not waiting for an answer\n"));
    // The same key with the same words is typed once.
    for _ in 0..2 {
        assert_eq!(cli.run(&["say", "ops", "two", "words", "--idempotency-key", "k1"]).code, 0);
    }
    seen(&home, "two words");
    let said = home.events().iter().filter(|event| event["event"] == "standing.said").count();
    assert_eq!(said, 1);
    cli.ok(&["delete", "ops"], "ops  deleted");
}

#[tokio::test]
async fn a_record_alone_starts_nothing() {
    let app = App::new();
    let made = done(&app, "create", &json!({ "name": "ops", "start": false, "autoStart": false })).await;
    outcome(&made, "not-running", "stopped");
    assert_eq!(app.home.tmux().sessions(), Vec::<String>::new());
    assert_eq!(app.get(&format!("{SESSIONS}/one?name=ops")).await.json()["autoStart"], false);
    outcome(&done(&app, "delete", &json!({ "name": "ops" })).await, "deleted", "absent");
    nothing_left(&app.home);
}

#[tokio::test]
async fn a_declared_session_is_listed_and_started_as_one() {
    let entry = json!({ "name": "watch", "description": "from the file", "harness": "demo" });
    let app = App::over(TestHome::builder().exe(THE_LOOP).declare(entry).build(), &Service::default());
    let row = &app.get(SESSIONS).await.json()[0];
    assert_eq!((&row["declared"], &row["status"]), (&json!(true), &json!("absent")), "{row:#}");
    let all = done(&app, "control", &json!({ "verb": "start" })).await;
    assert_eq!((&only_row(&all)["outcome"], &only_row(&all)["declared"]), (&json!("started"), &json!(true)));
    let all = done(&app, "control", &json!({ "verb": "stop" })).await;
    assert_eq!(only_row(&all)["outcome"], "stopped");
}

#[tokio::test]
async fn arguments_omitted_are_inherited_and_none_are_none() {
    let home = TestHome::builder().exe(THE_LOOP).set("/routing/harnessArgs/echoer", json!(["--inherited"])).build();
    let app = App::over(home, &Service::default());
    for (name, args) in [("inherits", Value::Null), ("none", json!([])), ("own", json!(["--own"]))] {
        let body = json!({ "name": name, "harness": "echoer", "harnessArgs": args, "prompt": name });
        assert_eq!(done(&app, "create", &body).await["ok"], true);
    }
    let log = wait_for("three starts", || {
        let log = fs::read_to_string(app.home.home().join("echoer.log")).unwrap_or_default();
        (log.matches("--new").count() == 3).then_some(log)
    });
    let argument = |word: &str| log.matches(word).count();
    assert_eq!((argument("--inherited"), argument("--own")), (1, 1), "{log}");
    assert_eq!(done(&app, "control", &json!({ "verb": "stop" })).await["ok"], true);
}

#[tokio::test]
async fn a_tmux_server_without_sessions_is_an_answer() {
    let app = App::new();
    done(&app, "create", &json!({ "name": "ops", "start": false })).await;
    app.home.tmux().run(&["start-server", ";", "set-option", "-g", "exit-empty", "off"]);
    let row = app.get(&format!("{SESSIONS}/one?name=ops")).await.json();
    assert_eq!(row["state"], "stopped", "{row:#}");
    let stopped = done(&app, "control", &json!({ "name": "ops", "verb": "stop" })).await;
    outcome(&stopped, "not-running", "stopped");
    outcome(&done(&app, "control", &json!({ "name": "ops", "verb": "start" })).await, "started", "running");
    outcome(&done(&app, "delete", &json!({ "name": "ops" })).await, "deleted", "absent");
}
