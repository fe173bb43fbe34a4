//! Answers in the thread of a session: of replies alone, and only where they are wanted.

use serde_json::json;
use testkit::{Http, wait_for};

use crate::stage::{ANN, Stage, done};

/// A session with `slack.answers`, whose agent takes a moment.
fn answering(answers: bool, fault: &str) -> Stage {
    let session = json!({
        "name": "ops", "harness": "demo", "harnessArgs": ["--fault", "busy=700", "--fault", "hold=20", "--fault", fault],
        "slack": { "enabled": true, "answers": answers },
    });
    Stage::of(Stage::builder().declare(session))
}

#[test]
fn a_reply_is_answered_by_one_message() {
    let stage = answering(true, "hold=20");
    let service = stage.hearing();
    let http = service.http();
    done(&http, "control", &json!({ "name": "ops", "verb": "start" }));
    let thread = stage.thread("ops");
    stage.slack.reply(&thread, ANN, "is it done &amp; dusted?");
    wait_for("that it works", || {
        stage.slack.said_in(&thread).iter().any(|said| said.contains("Working on it")).then_some(())
    });
    wait_for("the answer", || {
        stage.slack.said_in(&thread).iter().any(|said| said.ends_with("is it done &amp; dusted?")).then_some(())
    });
    assert_eq!(stage.slack.said_in(&thread).len(), 1, "one message: {:?}", stage.slack.said_in(&thread));

    // What nobody in the thread asked is not posted.
    asked_elsewhere(&http);
    assert_eq!(stage.slack.said_in(&thread).len(), 1);
}

#[test]
fn a_long_answer_becomes_a_file() {
    let stage = answering(true, "wordy");
    let service = stage.hearing();
    done(&service.http(), "control", &json!({ "name": "ops", "verb": "start" }));
    let thread = stage.thread("ops");
    stage.slack.reply(&thread, ANN, "tell me all");
    let content = wait_for("the file", || {
        let files = stage
            .slack
            .thread(&thread)
            .into_iter()
            .find_map(|message| Some(message["files"][0].clone()).filter(serde_json::Value::is_object));
        files.map(|file| file["content"].as_str().unwrap_or_default().to_owned())
    });
    assert!(content.starts_with("you said:") && content.contains("tell me all") && content.ends_with("and more"));
    let told = wait_for("the message", || {
        stage.slack.said_in(&thread).into_iter().find(|said| said.contains("`answer-ops.md`"))
    });
    assert!(told.chars().count() < 1000, "{told}");
}

/// Asks by REST, and waits for the answer.
fn asked_elsewhere(http: &Http) {
    let asked =
        http.post("/api/v1/standing-sessions/say", &json!({ "name": "ops", "text": "asked elsewhere", "wait": 60 }));
    assert_eq!(asked.json()["turn"]["state"], "answered", "{asked:?}");
}

#[test]
fn without_the_setting_nothing_is_answered() {
    let stage = answering(false, "hold=20");
    let service = stage.hearing();
    done(&service.http(), "control", &json!({ "name": "ops", "verb": "start" }));
    let thread = stage.thread("ops");
    let ts = stage.slack.reply(&thread, ANN, "hello");
    stage.marked(&ts, "white_check_mark");
    asked_elsewhere(&service.http());
    assert!(stage.slack.said_in(&thread).is_empty(), "{:?}", stage.slack.said_in(&thread));
}
