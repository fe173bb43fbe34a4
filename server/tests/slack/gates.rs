//! Closed unless opened: who and what does not get in.

use serde_json::{Value, json};
use testkit::StubSlack;

use crate::stage::{ANN, EVE, Stage, done, in_slack};

/// A session that is announced, and then everything that must not reach it, with one reply at the end that does: what
/// came before it was judged before it.
fn only_the_last_gets_in(stage: &Stage, thread: &str, act: impl FnOnce()) {
    act();
    let ts = stage.slack.reply(thread, ANN, "the last words");
    stage.marked(&ts, "white_check_mark");
    let turns = stage.turns("ops");
    assert!(turns.len() == 1 && turns[0].ends_with("the last words"), "{turns:#?}");
}

fn dropped(stage: &Stage, reason: &str) -> usize {
    stage.events("channel.dropped").iter().filter(|event| event["reason"] == reason).count()
}

#[test]
fn who_is_not_on_the_list_is_not_heard() {
    let stage = Stage::new();
    let service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    let mut quiet = String::new();
    only_the_last_gets_in(&stage, &thread, || {
        quiet = stage.slack.reply(&thread, EVE, "let me in");
        stage.slack.reply(&thread, EVE, "?screen");
        stage.slack.reply(&thread, "u0ann", "ids are not names");
        stage.slack.reply(&thread, "", "nobody");
    });
    assert_eq!((dropped(&stage, "unauthorized-actor"), dropped(&stage, "self-authored")), (3, 1));
    assert_eq!(stage.event("channel.dropped", "actor", "slack:U0EVE")["reason"], "unauthorized-actor");
    assert_eq!(stage.slack.reactions(&quiet), Vec::<String>::new(), "who is not heard is not answered");
    assert_eq!(stage.slack.said_in(&thread), Vec::<String>::new());
    assert!(!service.log().contains("let me in"));
}

#[test]
fn an_empty_list_lets_nobody_in() {
    let stage = Stage::of(Stage::builder().set("/channels/slack/authorizedUsers", json!([])));
    let service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    assert!(stage.slack.posted()[0]["text"].as_str().expect("text").contains("Nobody is authorized"));
    stage.slack.reply(&thread, ANN, "hello?");
    stage.event("channel.dropped", "reason", "unauthorized-actor");
    assert_eq!(stage.turns("ops"), Vec::<String>::new());
}

#[test]
fn only_a_persons_own_words_count() {
    let stage = Stage::new();
    let service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    let said = |change: Value| {
        let mut fields = json!({ "user": ANN, "thread_ts": thread, "text": "not these words" });
        fields.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        fields
    };
    let carried =
        |subtype: &str| stage.slack.event(&said(json!({ "subtype": subtype, "text": format!("a {subtype}") })));
    for subtype in ["thread_broadcast", "file_share"] {
        stage.marked(&carried(subtype), "white_check_mark");
    }
    for change in [
        json!({ "bot_id": "B0OTHER" }),
        json!({ "subtype": "bot_message" }),
        json!({ "user": StubSlack::BOT_USER }),
        json!({ "subtype": "message_changed" }),
        json!({ "subtype": "message_deleted" }),
        json!({ "subtype": "me_message" }),
        json!({ "thread_ts": null }),
        json!({ "thread_ts": "1600000000.000100" }),
    ] {
        stage.slack.event(&said(change));
    }
    // As Slack tells of an edit: the words are one level down, the thread with them.
    stage.slack.push(&json!({
        "type": "message", "subtype": "message_changed", "channel": StubSlack::CHANNEL, "ts": "1700000000.000200",
        "message": said(json!({ "type": "message", "ts": "1700000000.000100" })), "previous_message": {},
    }));
    stage.slack.push(&json!({ "type": "message", "channel": "C0OTHER", "ts": "1700000000.000300",
        "thread_ts": thread, "user": ANN, "text": "the same stamp in another channel" }));
    stage.slack.push(&json!({ "type": "reaction_added", "user": ANN, "item": {} }));
    let ts = stage.slack.reply(&thread, ANN, "the last words");
    stage.marked(&ts, "white_check_mark");
    let turns: Vec<String> =
        stage.turns("ops").iter().map(|turn| turn.rsplit('\n').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(turns, ["a thread_broadcast", "a file_share", "the last words"]);
    assert_eq!(stage.slack.unacknowledged(), 0, "what is dropped is acknowledged too");
}

#[test]
fn a_member_who_is_taken_off_the_list_is_heard_no_more() {
    let stage = Stage::new();
    let service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    stage.home.reconfigure("/channels/slack/authorizedUsers", json!([EVE]));
    stage.slack.reply(&thread, ANN, "let me in");
    stage.event("channel.dropped", "actor", "slack:U0ANN");
    let ts = stage.slack.reply(&thread, EVE, "my turn");
    stage.marked(&ts, "white_check_mark");
    let turns = stage.turns("ops");
    assert!(turns.len() == 1 && turns[0].ends_with("my turn"), "{turns:#?}");
}

#[test]
fn text_is_held_to_the_same_policy_as_everywhere() {
    let stage = Stage::new();
    let service = stage.hearing();
    done(&service.http(), "create", &in_slack("ops"));
    let thread = stage.thread("ops");
    let ts = stage.slack.reply(&thread, ANN, "a\u{1b}[201~b\u{9b}c\r\nrm -rf &lt;build&gt;;");
    stage.marked(&ts, "white_check_mark");
    assert!(stage.turns("ops")[0].ends_with("\n\na[201~bc\nrm -rf <build>;"), "{:?}", stage.turns("ops"));
    stage.told(&thread, "2 control character(s)");
    let ts = stage.slack.event(&json!({ "user": ANN, "thread_ts": thread, "subtype": "file_share", "text": "" }));
    stage.marked(&ts, "no_entry");
    stage.told(&thread, "the message is empty");
    assert_eq!(stage.turns("ops").len(), 1);
}
