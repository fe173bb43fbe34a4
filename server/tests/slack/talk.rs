//! No faults: a session is announced, receives messages, is read, restarted and deleted.

use std::fs;

use serde_json::json;
use testkit::StubSlack;

use crate::stage::{ANN, BOB, Stage, done, in_slack};

#[test]
fn a_declared_session_is_announced_and_answered_in_its_thread() {
    let stage = Stage::declaring(&["supervisor"]);
    let service = stage.hearing();
    done(&service.http(), "control", &json!({ "name": "supervisor", "verb": "start" }));
    let thread = stage.thread("supervisor");

    let posted = stage.slack.posted();
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!(posted[0]["ts"], thread.as_str());
    let text = posted[0]["text"].as_str().expect("text");
    for part in ["*supervisor*", "`demo`", "Reply in this thread", "<@U0ANN>, <@U0BOB>", "?screen"] {
        assert!(text.contains(part), "lacks {part}: {text}");
    }
    let announced = stage.event("standing.announced", "standing", "supervisor");
    assert_eq!((&announced["channel"], &announced["thread"]), (&json!(StubSlack::CHANNEL), &json!(thread)));
    assert_eq!(announced["source"], "channels");
    let row = service.http().get("/api/v1/standing-sessions/one?name=supervisor").json();
    assert_eq!((&row["slackChannel"], &row["slackThread"]), (&json!(StubSlack::CHANNEL), &json!(thread)));
    let bound = json!({ "workItem": "standing:supervisor", "channel": StubSlack::CHANNEL });
    assert_eq!(stage.kept("slack.json")["threads"][&thread], bound);

    let ts = stage.slack.reply(&thread, ANN, "ship it &amp; tell <@U0BOB>");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(
        stage.turns("supervisor"),
        ["[the-loop] A message from slack:U0ANN for standing session `supervisor`:\n\nship it & tell @U0BOB"]
    );
    stage.shows("supervisor", "ship it & tell @U0BOB");
    let received = stage.event("channel.reply_received", "standing", "supervisor");
    assert_eq!((&received["actor"], &received["thread"]), (&json!("slack:U0ANN"), &json!(thread)));
    assert_eq!(stage.events("channel.mirror_skipped")[0]["reason"], "standing-session");
    assert_eq!(stage.events("standing.said")[0]["actor"], "slack:U0ANN");
    assert!(
        !fs::read_to_string(stage.home.project().join(".the-loop/logs/events.jsonl"))
            .expect("a log")
            .contains("ship it")
    );

    let ts = stage.slack.reply(&thread, BOB, "?screen");
    let shown = stage.told(&thread, "```");
    assert!(shown.contains("ship it &amp; tell @U0BOB") && shown.starts_with("```\n"), "{shown}");
    assert_eq!(stage.slack.reactions(&ts), Vec::<String>::new());
    assert_eq!(stage.turns("supervisor").len(), 1, "a look is not typed");
    assert_eq!(stage.slack.posted().len(), 1, "nothing is said outside of the thread");
}

#[test]
fn a_restart_keeps_the_thread_and_a_deletion_ends_it() {
    let stage = Stage::new();
    let service = stage.hearing();
    let http = service.http();
    done(&http, "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    done(&http, "control", &json!({ "name": "ops", "verb": "restart" }));
    done(&http, "control", &json!({ "name": "ops", "verb": "stop" }));
    let ts = stage.slack.reply(&thread, ANN, "are you there?");
    stage.marked(&ts, "no_entry");
    stage.told(&thread, "`the-loop standing start ops`");
    assert_eq!(stage.event("channel.dropped", "reason", "undeliverable")["standing"], "ops");
    done(&http, "control", &json!({ "name": "ops", "verb": "start" }));
    let ts = stage.slack.reply(&thread, ANN, "and now?");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.slack.posted().len(), 1, "announced once");

    done(&http, "delete", &json!({ "name": "ops" }));
    stage.told(&thread, "was deleted");
    assert_eq!(stage.kept("slack.json"), json!({ "threads": {}, "cursors": {} }));
    done(&http, "create", &in_slack("ops"));
    let anew = stage.thread("ops");
    assert_ne!(anew, thread);
    stage.slack.reply(&thread, ANN, "words for the one before");
    stage.event("channel.dropped", "reason", "unmapped");
    let ts = stage.slack.reply(&anew, ANN, "words for the new one");
    stage.marked(&ts, "white_check_mark");
    let turns = stage.turns("ops");
    assert!(turns.len() == 1 && turns[0].contains("words for the new one"), "{turns:?}");
    done(&http, "delete", &json!({ "name": "ops" }));
}
