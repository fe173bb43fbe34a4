//! Faults on the way: repeated, late, swapped and lost events, sockets that end, fall silent or go deaf, and a Slack
//! that refuses. Each reply is typed once, in its order, and never lost.

use std::time::Duration;

use serde_json::json;
use testkit::{Fault, StubSlack, wait_for};

use crate::stage::{ANN, Stage, hurried};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Waits for the words of a session's turns to be these, in this order.
#[track_caller]
fn was_told(stage: &Stage, name: &str, words: &[String]) {
    wait_for(&format!("`{name}` to be told all"), || (stage.words(name).len() >= words.len()).then_some(()));
    assert_eq!(stage.words(name), words);
}

fn numbered(name: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{name} {i}")).collect()
}

#[test]
fn the_same_event_four_times_is_typed_once() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.slack.repeat(4);
    let ts = stage.slack.reply(&thread, ANN, "once");
    stage.marked(&ts, "white_check_mark");
    let last = stage.slack.reply(&thread, ANN, "and again once");
    stage.marked(&last, "white_check_mark");
    assert_eq!(stage.words("ops"), ["once", "and again once"]);
    wait_for("every copy to be acknowledged", || (stage.slack.unacknowledged() == 0).then_some(()));
    assert!(stage.slack.acknowledged() >= 8, "{}", stage.slack.acknowledged());
    assert_eq!(stage.events("channel.reply_received").len(), 2);
}

#[test]
fn a_repetition_that_is_the_only_copy_is_heard() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.slack.retry_after(&[ms(300), ms(300), ms(300)]);
    stage.slack.deafen(true);
    let ts = stage.slack.reply(&thread, ANN, "late");
    std::thread::sleep(ms(100));
    stage.slack.deafen(false);
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("ops"), ["late"]);
}

#[test]
fn swapped_and_late_events_keep_the_order_of_the_thread() {
    let stage = Stage::new();
    let _listener = stage.listen(server::slack::Timing { gather: ms(500), ..hurried() });
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.slack.delay(ms(50));
    stage.slack.reorder(true);
    let words = numbered("ops", 6);
    let sent: Vec<String> = words.iter().map(|words| stage.slack.reply(&thread, ANN, words)).collect();
    was_told(&stage, "ops", &words);
    for ts in sent {
        stage.marked(&ts, "white_check_mark");
    }
}

#[test]
fn a_socket_that_ends_in_a_burst_loses_nothing() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let threads = [stage.session("a"), stage.session("b")];
    stage.until_it_hears();
    stage.slack.cut_after(3, 3);
    stage.slack.repeat(2);
    let words = [numbered("a", 8), numbered("b", 8)];
    for (a, b) in words[0].iter().zip(&words[1]) {
        stage.slack.reply(&threads[0], ANN, a);
        stage.slack.reply(&threads[1], ANN, b);
    }
    was_told(&stage, "a", &words[0]);
    was_told(&stage, "b", &words[1]);
    // It ended in between; how often depends on how much of the burst a busy machine leaves to the reading.
    assert!(stage.slack.sockets().1 > 2, "{:?}", stage.slack.sockets());
}

#[test]
fn what_was_said_while_no_socket_was_open_is_fetched_before_what_comes_after() {
    let stage = Stage::new();
    // Fetching may take a busy machine a while, and what comes after waits only so long for it.
    let _listener = stage.listen(server::slack::Timing { hello: Duration::from_secs(10), ..hurried() });
    let thread = stage.session("ops");
    stage.until_it_hears();
    let first = stage.slack.reply(&thread, ANN, "before");
    stage.marked(&first, "white_check_mark");
    stage.slack.fail("apps.connections.open", [Fault::Status(503), Fault::Page, Fault::Lost, Fault::Limited(1)]);
    stage.slack.cut();
    stage.slack.unheard(&thread, ANN, "meanwhile 1");
    stage.slack.unheard(&thread, ANN, "meanwhile 2");
    wait_for("a new socket", || (stage.slack.sockets() == (1, 2)).then_some(()));
    stage.slack.reply(&thread, ANN, "after");
    was_told(&stage, "ops", &["before", "meanwhile 1", "meanwhile 2", "after"].map(str::to_owned));
}

#[test]
fn a_deaf_socket_is_noticed_and_replaced() {
    let stage = Stage::new();
    let _listener = stage.listen(server::slack::Timing { sweep: ms(300), ..hurried() });
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.slack.deafen(true);
    let ts = stage.slack.reply(&thread, ANN, "can you hear me?");
    stage.marked(&ts, "white_check_mark");
    wait_for("the deaf socket to be replaced", || (stage.slack.sockets().1 >= 2).then_some(()));
    stage.slack.deafen(false);
    let ts = stage.slack.reply(&thread, ANN, "and now?");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("ops"), ["can you hear me?", "and now?"]);
}

#[test]
fn a_socket_that_hears_is_not_taken_for_a_deaf_one() {
    let stage = Stage::new();
    let _listener = stage.listen(server::slack::Timing { sweep: ms(60), ..hurried() });
    let thread = stage.session("ops");
    stage.until_it_hears();
    // The reading finds it before the socket brings it.
    stage.slack.delay(ms(150));
    for words in numbered("ops", 3) {
        let ts = stage.slack.reply(&thread, ANN, &words);
        stage.marked(&ts, "white_check_mark");
    }
    wait_for("the last event to be brought", || (stage.slack.unacknowledged() == 0).then_some(()));
    // Ten readings more take twice as long as a socket may be deaf: by then one that is taken for deaf is replaced.
    let readings = || stage.slack.calls().get("conversations.replies").copied().unwrap_or_default();
    let before = readings();
    wait_for("ten readings more", || (readings() >= before + 10).then_some(()));
    assert_eq!(stage.slack.sockets(), (1, 1));
    assert_eq!(stage.words("ops"), numbered("ops", 3));
}

#[test]
fn a_socket_without_a_sign_of_life_is_replaced() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.slack.freeze();
    let ts = stage.slack.reply(&thread, ANN, "anybody there?");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("ops"), ["anybody there?"]);
    assert_eq!(stage.slack.sockets().1, 2);
}

#[test]
fn a_new_socket_is_open_before_the_old_one_is_left() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    let mut words = Vec::new();
    for (n, reason) in ["warning", "refresh_requested"].into_iter().enumerate() {
        stage.slack.disconnect(reason);
        words.push(reason.to_owned());
        stage.slack.reply(&thread, ANN, reason);
        wait_for("the change of sockets", || (stage.slack.sockets() == (1, n + 2)).then_some(()));
    }
    assert_eq!(stage.slack.most_sockets(), 2, "never without one");
    was_told(&stage, "ops", &words);
    assert_eq!(stage.status()["problem"], "", "both sockets are its own");
}

#[test]
fn socket_mode_that_is_turned_off_is_told_and_tried_again() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    stage.until_it_hears();
    stage.slack.fail("apps.connections.open", [Fault::Refused("not_allowed_token_type")]);
    stage.slack.disconnect("link_disabled");
    wait_for("the status to tell", || {
        let status = stage.status();
        let problem = status["problem"].as_str().unwrap_or_default();
        (status["hearing"] == "stuck" && problem.contains("Socket Mode is off")).then_some(())
    });
    wait_for("the status to tell of the token", || {
        stage.status()["problem"].as_str().unwrap_or_default().contains("wrong type").then_some(())
    });
    stage.until_it_hears();
}

#[test]
fn another_listener_with_the_same_token_is_told_of() {
    let stage = Stage::new();
    let other = Stage::new();
    let _listener = stage.listen(hurried());
    stage.until_it_hears();
    let vars = stage.slack.vars().into_iter();
    let surroundings = vars.fold(other.home.surroundings(), |all, (key, value)| all.with_var(key, value));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("made");
    let the_loop = standing::TheLoop::open_in(None, surroundings, "test");
    let hosting = runtime.block_on(async { server::slack::host(&the_loop.into(), hurried()) });
    other.until_it_hears();
    assert!(other.status()["problem"].as_str().expect("text").contains("1 other connection"), "{}", other.status());
    runtime.block_on(hosting.end());
}

#[test]
fn a_slack_that_fails_is_asked_again_and_left_alone_when_it_asks_for_that() {
    let stage = Stage::new();
    stage.slack.fail("auth.test", [Fault::Status(500), Fault::Page, Fault::Lost, Fault::Limited(1)]);
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    stage.slack.fail("reactions.add", [Fault::Status(502), Fault::Limited(1), Fault::Lost]);
    let begun = std::time::Instant::now();
    let first = stage.slack.reply(&thread, ANN, "one");
    let second = stage.slack.reply(&thread, ANN, "two");
    stage.marked(&second, "white_check_mark");
    assert!(begun.elapsed() >= ms(1000), "`Retry-After` was not waited for");
    assert_eq!((stage.slack.reactions(&first), stage.slack.reactions(&second)).0, ["white_check_mark"]);
    assert_eq!(stage.slack.calls()["reactions.add"], 5, "one for each failure, one that found its mark, one for two");
    assert_eq!(stage.words("ops"), ["one", "two"]);
}

#[test]
fn an_announcement_that_fails_in_passing_is_made_later() {
    let stage = Stage::new();
    stage.slack.fail("chat.postMessage", [Fault::Limited(1)]);
    let _listener = stage.listen(hurried());
    stage.session("ops");
    assert_eq!(stage.slack.posted().len(), 1);
    let failed = stage.events("standing.announce_failed");
    assert_eq!((failed.len(), &failed[0]["standing"]), (1, &json!("ops")), "{failed:#?}");
}

#[test]
fn an_announcement_whose_answer_was_lost_is_found_and_not_made_twice() {
    let stage = Stage::of(Stage::builder().set("/channels/slack/channel", json!(StubSlack::CHANNEL)));
    let _listener = stage.listen(hurried());
    // It stands there already when the answer breaks off, and looking for it fails at first.
    stage.slack.fail("chat.postMessage", [Fault::Lost]);
    stage.slack.fail("conversations.history", [Fault::Status(500)]);
    let thread = stage.session("ops");
    let posted = stage.slack.posted();
    assert_eq!((posted.len(), posted[0]["ts"].as_str()), (1, Some(thread.as_str())), "{posted:#?}");
    // One that surely never came to be is made.
    stage.slack.fail("chat.postMessage", [Fault::Status(503)]);
    let other = stage.session("other");
    assert_eq!(stage.slack.posted().len(), 2);
    stage.until_it_hears();
    let ts = stage.slack.reply(&other, ANN, "hello");
    stage.marked(&ts, "white_check_mark");
}

#[test]
fn an_app_that_may_not_mark_says_it_in_words() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    for (n, word) in ["missing_scope", "too_many_reactions"].into_iter().enumerate() {
        stage.slack.fail("reactions.add", [Fault::Refused(word)]);
        stage.slack.reply(&thread, ANN, "hello");
        wait_for("it to be said", || (stage.slack.said_in(&thread).len() == n + 1).then_some(()));
        assert!(stage.slack.said_in(&thread)[n].contains("Submitted"));
    }
}
