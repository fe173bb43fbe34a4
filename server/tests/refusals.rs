//! Every refusal, with the words that people and scripts rely on, over REST and on the command line alike.

use std::fs;

use serde_json::{Value, json};
use standing::config::Service;
use testkit::{TestHome, assert_nothing_spawned, wait_for};

use crate::app::{App, Command, SESSIONS, THE_LOOP, problem};

/// One declared session `watch` that does not run, one created one `ops` that is recorded alone, one foreign live
/// tmux session under the name of the declared `taken`.
fn prepared() -> App {
    let entry = |name: &str| json!({ "name": name, "harness": "demo" });
    let home = TestHome::builder().exe(THE_LOOP).declare(entry("watch")).declare(entry("taken")).build();
    let app = App::over(home, &Service::default());
    Command::in_home(&app.home).ok(&["create", "ops", "--no-start"], "ops  not-running");
    app.home.tmux().start_foreign("loop-standing-taken");
    wait_for("the foreign session's word", || {
        app.home.tmux().screen("loop-standing-taken").contains("foreign").then_some(())
    });
    app
}

/// A refusal over REST and by the command line: the status and exit code, and words that both must hold.
struct Refusal<'a> {
    verb: &'a str,
    body: Value,
    status: u16,
    code: &'a str,
    args: &'a [&'a str],
    exit: i32,
    words: &'a [&'a str],
}

fn refusal(
    verb: &'static str,
    body: Value,
    (status, code): (u16, &'static str),
    args: &'static [&'static str],
    exit: i32,
    words: &'static [&'static str],
) -> Refusal<'static> {
    Refusal { verb, body, status, code, args, exit, words }
}

const UNKNOWN: (u16, &str) = (404, "unknown-session");
const NOT_RUNNING: (u16, &str) = (404, "not-running");
const INVALID_NAME: (u16, &str) = (400, "invalid-name");
const INVALID: (u16, &str) = (400, "invalid-request");
const TAKEN: (u16, &str) = (400, "name-taken");

fn of_create() -> Vec<Refusal<'static>> {
    let named = |name: &str| json!({ "name": name });
    let elsewhere = json!({ "name": "new", "cwd": "/no/such/place" });
    let other = json!({ "name": "new", "harness": "nonesuch" });
    vec![
        refusal("create", named("watch"), TAKEN, &["create", "watch"], 2, &["already declared"]),
        refusal("create", named("ops"), TAKEN, &["create", "ops"], 2, &["already exists"]),
        refusal("create", named("Ops"), INVALID_NAME, &["create", "Ops"], 2, &["session name"]),
        refusal("create", named("ops\n"), INVALID_NAME, &["create", "ops\n"], 2, &["session name"]),
        refusal("create", elsewhere, INVALID, &["create", "new", "--cwd", "/no/such/place"], 2, &["/no/such/place"]),
        refusal("create", other, INVALID, &["create", "new", "--harness", "nonesuch"], 2, &["nonesuch"]),
    ]
}

fn of_delete_and_control() -> Vec<Refusal<'static>> {
    let named = |name: &str| json!({ "name": name });
    let control = |verb: &str| json!({ "verb": verb, "name": "never" });
    let declared = (400, "declared");
    let instead = &["standingSessions.sessions", "the-loop standing stop watch"];
    vec![
        refusal("delete", named("watch"), declared, &["delete", "watch"], 2, instead),
        refusal("delete", named("never"), UNKNOWN, &["delete", "never"], 1, &["`never`", "no record"]),
        refusal("control", control("stop"), UNKNOWN, &["stop", "never"], 1, &["`never`", "no record"]),
        refusal("control", control("start"), UNKNOWN, &["start", "never"], 1, &["`never`"]),
        refusal("control", control("restart"), UNKNOWN, &["restart", "never"], 1, &["`never`"]),
    ]
}

fn of_say() -> Vec<Refusal<'static>> {
    let say = |name: &str, text: &str| json!({ "name": name, "text": text });
    let hello = |name| say(name, "hello");
    let foreign = &["tmux attach -r -t", "loop-standing-taken", "the-loop standing start taken"];
    vec![
        refusal("say", hello("never"), UNKNOWN, &["say", "never", "hello"], 1, &["`never`"]),
        refusal("say", hello("ops"), NOT_RUNNING, &["say", "ops", "hello"], 1, &["the-loop standing start ops"]),
        refusal("say", hello("watch"), NOT_RUNNING, &["say", "watch", "hello"], 1, &["the-loop standing start watch"]),
        refusal("say", hello("taken"), NOT_RUNNING, &["say", "taken", "hello"], 1, foreign),
        refusal("say", say("ops", ""), INVALID, &["say", "ops", "--text", ""], 2, &["empty"]),
        refusal("say", say("ops", " \n\t"), INVALID, &["say", "ops", "--text", " \n\t"], 2, &["only spaces"]),
    ]
}

#[tokio::test]
async fn the_same_words_over_both_surfaces() {
    let app = prepared();
    let cli = Command::in_home(&app.home);
    let before = app.home.tmux().screen("loop-standing-taken");
    for refusal in of_create().into_iter().chain(of_delete_and_control()).chain(of_say()) {
        let answer = app.post(&format!("{SESSIONS}/{}", refusal.verb), refusal.body.to_string()).await;
        problem(&answer, refusal.status, refusal.code);
        let told = assert_nothing_spawned(&app.home, || cli.run(refusal.args));
        assert_eq!((told.code, told.out.as_str()), (refusal.exit, ""), "{:?}: {}", refusal.args, told.err);
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        for words in refusal.words {
            assert!(detail.contains(words), "REST {} {}: {detail}", refusal.verb, refusal.body);
            assert!(told.err.contains(words), "{:?}: {}", refusal.args, told.err);
        }
    }
    assert_eq!(app.home.tmux().screen("loop-standing-taken"), before, "nothing was typed into what is not ours");
}

/// Texts that only a program can send: an argument of a command line cannot contain a NUL.
#[tokio::test]
async fn texts_that_no_program_can_be_given_are_refused_at_once() {
    let app = App::new();
    let nul = "a\0b";
    for (field, body) in [
        ("harness", json!({ "name": "new", "harness": nul })),
        ("harnessArgs[1]", json!({ "name": "new", "harnessArgs": ["x", nul] })),
        ("cwd", json!({ "name": "new", "cwd": nul })),
        ("prompt", json!({ "name": "new", "prompt": nul })),
        ("description", json!({ "name": "new", "description": nul })),
        ("slackChannel", json!({ "name": "new", "slackChannel": nul })),
    ] {
        let answer = app.post(&format!("{SESSIONS}/create"), body.to_string()).await;
        problem(&answer, 400, "invalid-request");
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(detail.contains(&format!("`{field}` contains a NUL")), "{detail}");
    }
    assert_eq!(app.get(SESSIONS).await.json(), json!([]));
    // The name of who speaks has an end; what is in it is made harmless.
    for (verb, mut body) in
        [("say", json!({ "name": "ops", "text": "hello" })), ("answer", json!({ "name": "ops", "choice": "1" }))]
    {
        for (actor, status, code) in [
            (nul.to_owned(), 404, "unknown-session"),
            ("é".repeat(201), 400, "invalid-request"),
            ("é".repeat(200), 404, "unknown-session"),
        ] {
            body["actor"] = json!(actor);
            problem(&app.post(&format!("{SESSIONS}/{verb}"), body.to_string()).await, status, code);
        }
    }
}

#[tokio::test]
async fn a_restart_of_all_is_refused() {
    let app = App::new();
    let answer = app.post(&format!("{SESSIONS}/control"), r#"{"verb":"restart"}"#).await;
    problem(&answer, 400, "invalid-request");
}

/// A row reports the refusal, not an error: the request was valid, but the session was not in a fit state.
#[tokio::test]
async fn a_live_session_without_a_record_is_neither_started_over_nor_stopped() {
    let app = prepared();
    let cli = Command::in_home(&app.home);
    for (verb, words) in [("start", &["tmux attach -r -t", "loop-standing-taken"][..]), ("stop", &["no record"])] {
        let answer =
            app.post(&format!("{SESSIONS}/control"), json!({ "name": "taken", "verb": verb }).to_string()).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (200, &json!(false)), "{}", answer.text());
        let row = answer.json()["sessions"][0].clone();
        assert_eq!(row["outcome"], "failed");
        let told = cli.run(&[verb, "taken"]);
        assert_eq!((told.code, told.out.as_str()), (1, ""));
        for words in words {
            assert!(row["detail"].as_str().expect("text").contains(words), "{row:#}");
            assert!(told.err.starts_with("taken  failed  ") && told.err.contains(words), "{}", told.err);
        }
    }
    assert_eq!(app.home.tmux().sessions(), ["loop-standing-taken"]);
}

#[tokio::test]
async fn a_stop_without_a_record_says_so() {
    let app = prepared();
    let told = Command::in_home(&app.home).run(&["stop", "watch"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.starts_with("watch  not-running  no record"), "{}", told.out);
}

#[tokio::test]
async fn a_create_whose_start_fails_leaves_no_record() {
    let dies = json!({ "command": ["/bin/sh", "-c", "echo no account >&2; exit 3"], "sessionId": "none" });
    let home = TestHome::builder().exe(THE_LOOP).set("/routing/harnesses/dies", dies).build();
    let app = App::over(home, &Service::default());
    let body = json!({ "name": "ops", "harness": "dies" }).to_string();
    let answer = app.post(&format!("{SESSIONS}/create"), body).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (200, &json!(false)), "{}", answer.text());
    let row = &answer.json()["sessions"][0];
    assert_eq!((&row["outcome"], &row["name"]), (&json!("failed"), &json!("ops")), "{row:#}");
    // Nothing is left of it, and its row says so.
    assert_eq!((&row["status"], &row["state"], &row["createdAt"]), (&json!("absent"), &json!("absent"), &json!("")));
    let told = Command::in_home(&app.home).run(&["create", "ops", "--harness", "dies"]);
    assert_eq!((told.code, told.out.as_str()), (1, ""), "{}", told.err);
    assert!(told.err.starts_with("ops  failed  "), "{}", told.err);
    assert!(!app.home.records().join("ops.json").exists());
    assert_eq!(app.get(&format!("{SESSIONS}/one?name=ops")).await.status, 404);
    assert_eq!(app.home.tmux().sessions(), Vec::<String>::new());
}

#[tokio::test]
async fn a_block_that_cannot_be_used_is_refused_by_all_but_stop() {
    let app = App::new();
    let cli = Command::in_home(&app.home);
    cli.ok(&["create", "ops", "--harness", "demo"], "ops  started");
    let good = fs::read_to_string(app.home.config_file()).expect("the config");
    let mut broken: Value = serde_json::from_str(&good).expect("JSON");
    broken["standingSessions"] = json!({ "enabled": "maybe" });
    app.home.write_config(&format!("{broken:#}"));
    let place = "`standingSessions.enabled`";
    for path in [SESSIONS.to_owned(), format!("{SESSIONS}/one?name=ops")] {
        let answer = app.get(&path).await;
        problem(&answer, 400, "misconfigured");
        assert!(answer.text().contains(place), "{}", answer.text());
    }
    let verbs = [
        ("create", json!({ "name": "new" })),
        ("delete", json!({ "name": "ops" })),
        ("control", json!({ "name": "ops", "verb": "start" })),
        ("control", json!({ "name": "ops", "verb": "restart" })),
        ("say", json!({ "name": "ops", "text": "hello" })),
    ];
    for (verb, body) in verbs {
        problem(&app.post(&format!("{SESSIONS}/{verb}"), body.to_string()).await, 400, "misconfigured");
    }
    for args in
        [&["list"][..], &["get", "ops"], &["create", "new"], &["delete", "ops"], &["start"], &["say", "ops", "x"]]
    {
        let told = cli.run(args);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{args:?}: {}", told.err);
        assert!(told.err.contains("cli-config.yaml:") && told.err.contains(place), "{args:?}: {}", told.err);
    }
    let stopped = cli.run(&["stop"]);
    assert_eq!(stopped.code, 0, "{stopped:#?}");
    assert!(stopped.out.starts_with("ops  stopped") && stopped.err.contains(place), "{stopped:#?}");
    app.home.write_config(&good);
    cli.ok(&["delete", "ops"], "ops  deleted");
}

#[tokio::test]
async fn a_session_that_asks_something_is_not_typed_into() {
    let app = App::new();
    let cli = Command::in_home(&app.home);
    let arg = "--harness-arg";
    cli.ok(&["create", "ops", arg, "--fault", arg, "dialog=May I go on?"], "ops  started");
    wait_for("the question", || app.home.tmux().screen("loop-standing-ops").contains("May I go on?").then_some(()));
    let answer = app.post(&format!("{SESSIONS}/say"), json!({ "name": "ops", "text": "hello" }).to_string()).await;
    problem(&answer, 409, "waiting");
    let told = cli.run(&["say", "ops", "hello"]);
    assert_eq!((told.code, told.out.as_str()), (1, ""), "{}", told.err);
    for text in [&told.err, &answer.text()] {
        assert!(text.contains("May I go on?") && text.contains("--force"), "{text}");
    }
    assert_eq!(cli.run(&["say", "ops", "hello", "--force"]).code, 0);
    cli.ok(&["delete", "ops"], "ops  deleted");
}
