//! Messages that hold more than text: shared ones, blocks, files, edits. What they say arrives, or the thread is told in
//! plain words what did not.

use serde_json::{Value, json};
use testkit::{Fault, StubSlack, wait_for};

use crate::stage::{ANN, EVE, Stage, hurried};

fn order() -> Value {
    json!([{ "is_share": true, "is_msg_unfurl": true, "author_name": "Bob", "text": "THE-ORDER-1", "fallback": "[x] Bob: T" }])
}

fn said(thread: &str, fields: &Value) -> Value {
    let mut all = json!({ "user": ANN, "thread_ts": thread, "text": "" });
    all.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    all
}

#[test]
fn a_shared_message_and_what_only_blocks_say_reach_the_session() {
    for mode in ["socket", "poll"] {
        let stage = Stage::of(Stage::builder().set("/channels/slack/read/mode", json!(mode)));
        let _listener = stage.listen(hurried());
        let thread = stage.session("ops");
        stage.until_it_hears();
        let section = json!([{ "type": "section", "text": { "type": "mrkdwn", "text": "only in blocks" } }]);
        for fields in [
            json!({ "text": "do this", "attachments": order() }),
            json!({ "attachments": order() }),
            json!({ "blocks": section }),
            json!({ "text": "told as text", "blocks": section }),
        ] {
            let fields = said(&thread, &fields);
            let ts = if mode == "poll" { stage.slack.unheard_event(&fields) } else { stage.slack.event(&fields) };
            stage.marked(&ts, "white_check_mark");
        }
        assert_eq!(
            stage.words("ops"),
            [
                "do this\n\nShared message from Bob:\n> THE-ORDER-1",
                "Shared message from Bob:\n> THE-ORDER-1",
                "only in blocks",
                "told as text\n\nonly in blocks",
            ]
        );
        assert_eq!(stage.slack.said_in(&thread), Vec::<String>::new(), "all of it arrived");
    }
}

#[test]
fn a_file_beside_the_text_is_told_of_before_the_check_mark() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    let files = json!([{ "name": "plan.pdf", "pretty_type": "PDF", "mode": "hosted" }]);
    let fields = said(&thread, &json!({ "subtype": "file_share", "text": "see this", "files": files }));
    let ts = stage.slack.event(&fields);
    stage.marked(&ts, "white_check_mark");
    let told = stage.slack.said_in(&thread);
    assert!(
        told.len() == 1 && told[0].contains("Partly delivered") && told[0].contains("`plan.pdf` (PDF)"),
        "{told:?}"
    );
    assert_eq!(stage.words("ops"), ["see this\n\n(Not delivered with this message: the file `plan.pdf` (PDF).)"]);

    let ts = stage.slack.event(&said(&thread, &json!({ "subtype": "file_share", "files": files })));
    stage.marked(&ts, "no_entry");
    let told = stage.told(&thread, "Not delivered");
    assert!(told.contains("the message has no text, only the file `plan.pdf` (PDF)"), "{told}");
    assert_eq!(stage.words("ops").len(), 1);

    // Where it cannot be told, there is no check mark.
    stage.slack.break_for("chat.postMessage", StubSlack::CHANNEL, Some(Fault::Refused("restricted_action")));
    let ts = stage.slack.event(&fields);
    stage.marked(&ts, "warning");
    assert_eq!(stage.slack.reactions(&ts), ["warning"]);
}

#[test]
fn an_edit_of_a_reply_is_told_once_to_who_may_speak() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    let ts = stage.slack.reply(&thread, ANN, "delete the old build");
    stage.marked(&ts, "white_check_mark");
    let edit = |user: &str, ts: &str, before: &str, after: &str| {
        stage.slack.push(&json!({
            "type": "message", "subtype": "message_changed", "channel": StubSlack::CHANNEL, "hidden": true,
            "ts": format!("17999{}.{:06}", before.len() + after.len(), after.len()),
            "message": { "type": "message", "user": user, "ts": ts, "thread_ts": thread, "text": after,
                         "edited": { "user": user, "ts": "1" } },
            "previous_message": { "type": "message", "user": user, "ts": ts, "thread_ts": thread, "text": before },
        }));
    };
    let other = stage.slack.reply(&thread, EVE, "not heard");
    edit(EVE, &other, "not heard", "not heard either");
    edit(ANN, &ts, "delete the old build", "delete the old build");
    edit(ANN, &ts, "delete the old build", "do not delete the old build");
    edit(ANN, &ts, "do not delete the old build", "really do not delete the old build");
    let last = stage.slack.reply(&thread, ANN, "the last words");
    stage.marked(&last, "white_check_mark");
    stage.told(&thread, "Edits are not delivered");
    assert_eq!(stage.slack.said_in(&thread).len(), 1, "{:?}", stage.slack.said_in(&thread));
    assert_eq!(stage.words("ops"), ["delete the old build", "the last words"]);
}

#[test]
fn words_of_a_kind_that_is_not_read_are_refused_aloud() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    let quiet = stage.slack.event(&said(&thread, &json!({ "user": EVE, "subtype": "me_message", "text": "waves" })));
    let ts = stage.slack.event(&said(&thread, &json!({ "subtype": "me_message", "text": "waves" })));
    stage.marked(&ts, "no_entry");
    assert!(stage.told(&thread, "Not delivered").contains("`me_message`"));
    assert_eq!(stage.slack.reactions(&quiet), Vec::<String>::new());
    assert_eq!(stage.words("ops"), Vec::<String>::new());
}

#[test]
fn a_text_beyond_the_limit_is_refused_with_the_limit() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    let long = stage.slack.reply(&thread, ANN, &"0123456789 ".repeat(4000));
    stage.marked(&long, "white_check_mark");
    assert_eq!(stage.words("ops")[0].len(), 44_000);
    let ts = stage.slack.reply(&thread, ANN, &"0123456789 ".repeat(100_000));
    stage.marked(&ts, "no_entry");
    let told = wait_for("the refusal", || stage.slack.said_in(&thread).last().cloned());
    assert!(told.contains("Not delivered") && told.contains("1048576"), "{told}");
    assert_eq!(stage.words("ops").len(), 1);
}
