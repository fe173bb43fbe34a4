//! The ways of reading, and changes of the settings while the listener runs.

use serde_json::json;
use standing::{CreateRequest, DeleteRequest};
use testkit::{StubSlack, wait_for};

use crate::stage::{ANN, EVE, Stage, hurried};

#[test]
fn polling_hears_each_reply_once_across_restarts() {
    let stage = Stage::of(Stage::builder().set("/channels/slack/read/mode", json!("poll")));
    let listener = stage.listen(hurried());
    let threads = [stage.session("a"), stage.session("b")];
    stage.until_it_hears();
    // More than a page, with what must not get in between.
    let words: Vec<String> = (0..7).map(|i| format!("line {i}")).collect();
    let mut last = String::new();
    for (i, words) in words.iter().enumerate() {
        stage.slack.unheard(&threads[0], EVE, "not me");
        stage.slack.unheard(&threads[0], EVE, "nor me");
        last = stage.slack.unheard(&threads[0], if i % 2 == 0 { ANN } else { "U0BOB" }, words);
    }
    let other = stage.slack.unheard(&threads[1], ANN, "to the other one");
    stage.marked(&last, "white_check_mark");
    stage.marked(&other, "white_check_mark");
    assert_eq!(stage.words("a"), words);
    assert_eq!(stage.slack.sockets(), (0, 0));
    drop(listener);

    let missed = stage.slack.unheard(&threads[0], ANN, "while it was away");
    let _listener = stage.listen(hurried());
    stage.marked(&missed, "white_check_mark");
    assert_eq!(stage.words("a").len(), words.len() + 1, "nothing is typed again");
    assert_eq!(stage.words("b"), ["to the other one"]);
    let dropped = stage.events("channel.dropped").len();
    assert_eq!(dropped, 2 * words.len(), "what is dropped is told of once");
    assert!(stage.kept("slack.json")["cursors"][&threads[0]].as_str() > Some(threads[0].as_str()));
}

#[test]
fn off_announces_and_reads_nothing() {
    for mode in [json!("off"), json!("of a later version")] {
        let stage = Stage::of(Stage::builder().set("/channels/slack/read/mode", mode));
        let _listener = stage.listen(hurried());
        let thread = stage.session("ops");
        let request = DeleteRequest { name: "ops".to_owned() };
        stage.slack.reply(&thread, ANN, "hello?");
        stage.instance().standing().delete(&request).expect("deleted");
        stage.told(&thread, "was deleted");
        let calls = stage.slack.calls();
        assert!(!calls.contains_key("conversations.replies") && !calls.contains_key("apps.connections.open"));
    }
}

#[test]
fn a_session_that_does_not_ask_for_it_is_not_announced() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    stage.instance().standing().create(&CreateRequest::named("quiet")).expect("created");
    stage.session("ops");
    let posted = stage.slack.posted();
    assert!(posted.len() == 1 && posted[0]["text"].as_str().expect("text").contains("*ops*"), "{posted:#?}");
}

#[test]
fn switching_it_off_and_on_is_noticed() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.home.reconfigure("/channels/slack/enabled", json!(false));
    wait_for("the socket to be closed", || (stage.slack.sockets().0 == 0).then_some(()));
    let ts = stage.slack.unheard(&thread, ANN, "are you off?");
    stage.home.reconfigure("/channels/slack/enabled", json!(true));
    stage.marked(&ts, "white_check_mark");
    assert_eq!((stage.slack.posted().len(), stage.thread("ops")), (1, thread), "the thread is kept");
}

#[test]
fn a_broken_config_lets_nobody_go() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    let good = stage.home.config();
    stage.home.reconfigure("/standingSessions", json!({ "sessions": "nonsense" }));
    let ts = stage.slack.reply(&thread, ANN, "hello?");
    stage.marked(&ts, "no_entry");
    let told = stage.told(&thread, "Not delivered");
    assert!(!told.contains("nonsense") && !told.contains("cli-config"), "{told}");
    stage.home.write_config(&good.to_string());
    let ts = stage.slack.reply(&thread, ANN, "and now?");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.slack.said_in(&thread).len(), 1, "no farewell was said");
    assert_eq!(stage.kept("slack.json")["threads"][&thread]["channel"], StubSlack::CHANNEL);
}

#[test]
fn one_listens_at_a_time() {
    let stage = Stage::new();
    let first = stage.listen(hurried());
    stage.until_it_hears();
    let _second = stage.listen(hurried());
    let thread = stage.session("ops");
    let ts = stage.slack.reply(&thread, ANN, "to whom?");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.slack.sockets(), (1, 1));
    drop(first);
    wait_for("the second to take over", || (stage.slack.sockets() == (1, 2)).then_some(()));
    let ts = stage.slack.reply(&thread, ANN, "and to whom now?");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("ops"), ["to whom?", "and to whom now?"]);
}
