//! A Slack that grants little: threads and pages are read in turn, no page twice, and the operator is told.

use std::{collections::HashSet, time::Duration};

use serde_json::{Value, json};
use testkit::{Fault, StubSlack, wait_for};

use crate::stage::{ANN, Stage, hurried};

const REPLIES: &str = "conversations.replies";

fn polling() -> Stage {
    Stage::of(Stage::builder().set("/channels/slack/read/mode", json!("poll")))
}

/// The pages that were granted: of which thread, from where on, which of them.
fn pages(stage: &Stage) -> Vec<(String, String, String)> {
    let [threads, after, cursors] = ["ts", "oldest", "cursor"].map(|field| stage.slack.granted(REPLIES, field));
    threads.into_iter().zip(after).zip(cursors).map(|((thread, after), cursor)| (thread, after, cursor)).collect()
}

fn status(stage: &Stage) -> Value {
    let output = stage.the_loop(&["channels", "status", "--format", "json"]);
    serde_json::from_slice(&output.stdout).expect("one document")
}

#[test]
fn each_thread_is_read_in_turn_when_slack_grants_one_page_at_a_time() {
    let stage = polling();
    let _listener = stage.listen(hurried());
    let names = ["a", "b", "c", "d", "e"];
    let threads: Vec<String> = names.iter().map(|name| stage.session(name)).collect();
    stage.slack.grant_every(REPLIES, Duration::from_millis(1200));
    let before = pages(&stage).len();
    let sent: Vec<String> = threads
        .iter()
        .zip(names)
        .map(|(thread, name)| stage.slack.unheard(thread, ANN, &format!("to {name}")))
        .collect();
    for ts in &sent {
        stage.marked(ts, "white_check_mark");
    }
    for name in names {
        assert_eq!(stage.words(name), [format!("to {name}")]);
    }
    wait_for("two rounds", || (pages(&stage).len() >= before + 11).then_some(()));
    let read: Vec<String> = pages(&stage).into_iter().skip(before + 1).map(|(thread, ..)| thread).collect();
    for round in read.windows(names.len()) {
        let distinct: HashSet<&String> = round.iter().collect();
        assert_eq!(distinct.len(), names.len(), "a thread was read twice before another once: {read:#?}");
    }
}

#[test]
fn forty_replies_on_pages_of_fifteen_all_arrive_in_order_and_no_page_is_read_twice() {
    let stage = polling();
    let listener = stage.listen(hurried());
    let (thread, other) = (stage.session("ops"), stage.session("other"));
    stage.until_it_hears();
    stage.slack.pages_of(15);
    stage.slack.grant_every(REPLIES, Duration::from_millis(1200));
    let words: Vec<String> = (0..40).map(|n| format!("reply {n}")).collect();
    let before = pages(&stage).len();
    let sent: Vec<String> = words.iter().map(|words| stage.slack.unheard(&thread, ANN, words)).collect();
    let beside = stage.slack.unheard(&other, ANN, "beside it");
    stage.marked(&sent[14], "white_check_mark");
    // The service ends between two pages.
    drop(listener);
    let _listener = stage.listen(hurried());
    for ts in sent.iter().chain([&beside]) {
        stage.marked(ts, "white_check_mark");
    }
    assert_eq!((stage.words("ops"), stage.words("other")), (words, vec!["beside it".to_owned()]));
    // From where each page began, by how many of the replies were before it.
    let begins = |(_, after, cursor): &(String, String, String)| {
        sent.iter().filter(|ts| *ts <= after).count() + cursor.parse().unwrap_or(0)
    };
    let read: Vec<usize> =
        pages(&stage).iter().skip(before).filter(|page| page.0 == thread).map(begins).filter(|n| *n < 40).collect();
    let distinct: HashSet<usize> = read.iter().copied().filter(|n| *n > 0).collect();
    assert!(distinct.len() >= 2, "{read:?}");
    assert_eq!(read.iter().filter(|n| **n > 0).count(), distinct.len(), "a page was read twice: {read:?}");
}

#[test]
fn a_slowed_reading_is_told_by_status_and_doctor() {
    let stage = polling();
    let _listener = stage.listen(hurried());
    for name in ["a", "b"] {
        stage.session(name);
    }
    stage.until_it_hears();
    assert_eq!(status(&stage)["listener"]["slowed"], Value::Null);
    stage.slack.grant_every(REPLIES, Duration::from_millis(2500));
    let slowed = wait_for("the pace to be told", || {
        let slowed = status(&stage)["listener"]["slowed"].clone();
        (slowed["pageEverySeconds"].as_u64() >= Some(2) && slowed["waiting"].as_u64() >= Some(1)).then_some(slowed)
    });
    let page = slowed["pageEverySeconds"].as_u64().expect("a number");
    assert!(page <= 4 && slowed["threadEverySeconds"].as_u64() >= Some(2 * page - 2), "{slowed}");
    let told = |args: &[&str]| String::from_utf8_lossy(&stage.the_loop(args).stdout).into_owned();
    let line = told(&["channels", "status"]);
    assert!(line.contains("hears       yes") && line.contains("slowed      yes, since 20"), "{line}");
    assert!(
        line.contains("Slack allows one read about every ") && line.contains("each thread is read about"),
        "{line}"
    );
    assert!(
        told(&["status"]).contains("slack  reading is rate limited: Slack allows one read"),
        "{}",
        told(&["status"])
    );
    let found = told(&["doctor"]);
    assert!(found.contains("reading is rate limited") && found.contains("read.mode: socket"), "{found}");
}

#[test]
fn a_channel_that_cannot_be_read_keeps_no_other_from_it() {
    for fault in [Fault::Limited(3600), Fault::Status(500), Fault::Page, Fault::Refused("channel_not_found")] {
        let stage = polling();
        let _listener = stage.listen(hurried());
        let request = standing::CreateRequest {
            slack_enabled: true,
            slack_channel: "#dev".to_owned(),
            ..standing::CreateRequest::named("elsewhere")
        };
        stage.instance().standing().create(&request).expect("created");
        stage.thread("elsewhere");
        stage.slack.break_for(REPLIES, StubSlack::OTHER, Some(fault.clone()));
        let thread = stage.session("ops");
        for words in ["one", "two", "three"] {
            let ts = stage.slack.unheard(&thread, ANN, words);
            stage.marked(&ts, "white_check_mark");
        }
        if let Fault::Refused(word) = fault {
            let told = wait_for("the channel to be told of", || {
                let told = status(&stage)["listener"]["channelProblems"][StubSlack::OTHER].as_str()?.to_owned();
                told.contains(word).then_some(told)
            });
            assert!(told.starts_with("cannot read: "), "{told}");
            stage.slack.break_for(REPLIES, StubSlack::OTHER, None);
            wait_for("it to be mended", || (status(&stage)["listener"]["channelProblems"] == json!({})).then_some(()));
        }
    }
}
