//! Many replies at once, with every fault, each typed exactly once; and how long one takes.

use std::time::{Duration, Instant};

use standing::CreateRequest;
use testkit::{Fault, wait_for};

use crate::stage::{ANN, BOB, Stage, hurried};

/// Prints a figure for a developer who runs the test by hand.
#[expect(clippy::print_stderr, reason = "what it is for")]
fn figure(text: &str) {
    eprintln!("{text}");
}

/// Says `each` things to each of `sessions` sessions with every fault switched on, and counts what was typed.
fn each_exactly_once(sessions: usize, each: usize) {
    let stage = Stage::new();
    let _listener = stage.listen(server::slack::Timing { sweep: Duration::from_millis(700), ..hurried() });
    let names: Vec<String> = (0..sessions).map(|n| format!("s{n}")).collect();
    for name in &names {
        let request = CreateRequest { slack_enabled: true, ..CreateRequest::named(name) };
        stage.instance().standing().create(&request).expect("created");
    }
    let threads: Vec<String> = names.iter().map(|name| stage.thread(name)).collect();
    stage.until_it_hears();
    stage.slack.repeat(2);
    stage.slack.delay(Duration::from_millis(20));
    stage.slack.reorder(true);
    stage.slack.cut_after(20, 4);
    stage.slack.fail("reactions.add", [Fault::Limited(1), Fault::Status(502), Fault::Lost, Fault::Page]);
    stage.slack.fail("apps.connections.open", [Fault::Status(500), Fault::Limited(1), Fault::Lost]);
    stage.slack.fail("conversations.replies", [Fault::Status(503), Fault::Limited(1), Fault::Page]);
    let begun = Instant::now();
    let mut sent = Vec::new();
    for i in 0..each {
        for (n, thread) in threads.iter().enumerate() {
            let author = if (i + n) % 2 == 0 { ANN } else { BOB };
            sent.push(stage.slack.reply(thread, author, &format!("{} says {i}", names[n])));
        }
        if i == each / 2 {
            stage.slack.deafen(true);
        }
        if i == each / 2 + 1 {
            stage.slack.deafen(false);
            stage.slack.cut();
        }
    }
    stage.slack.reorder(false);
    let patience = Instant::now() + Duration::from_mins(3);
    while sent.iter().any(|ts| stage.slack.reactions(ts).is_empty()) {
        assert!(Instant::now() < patience, "not every reply got its receipt");
        std::thread::sleep(Duration::from_millis(50));
    }
    let took = begun.elapsed();
    let marks: Vec<String> = sent.iter().flat_map(|ts| stage.slack.reactions(ts)).collect();
    let unconfirmed = marks.iter().filter(|mark| *mark == "grey_question").count();
    for name in &names {
        let mut typed = stage.words(name);
        typed.sort();
        let mut wanted: Vec<String> = (0..each).map(|i| format!("{name} says {i}")).collect();
        wanted.sort();
        assert_eq!(typed, wanted, "{name}");
    }
    figure(&format!(
        "{} replies over {sessions} sessions with faults: each once, {unconfirmed} unconfirmed, {took:.1?}, slowest \
         acknowledgement {:.0?}, {} sockets",
        sent.len(),
        stage.slack.slowest_acknowledgement(),
        stage.slack.sockets().1,
    ));
    assert_eq!(marks.len(), sent.len(), "one mark each");
}

#[test]
fn twenty_replies_over_four_sessions_with_faults() {
    each_exactly_once(4, 5);
}

/// Polls a Slack that grants little, fails at every method and ends its pages early, and is left and taken up again.
#[test]
fn thirty_replies_by_polling_a_hostile_slack_arrive_once_and_in_order_across_restarts() {
    let stage = Stage::of(Stage::builder().set("/channels/slack/read/mode", serde_json::json!("poll")));
    let mut listener = Some(stage.listen(hurried()));
    let names = ["a", "b", "c"];
    let threads: Vec<String> = names.iter().map(|name| stage.session(name)).collect();
    stage.slack.pages_of(3);
    let storm = || {
        let faults =
            [Fault::Status(502), Fault::Limited(1), Fault::Page, Fault::Lost, Fault::Refused("invalid_cursor")];
        stage.slack.fail("conversations.replies", faults);
        stage.slack.fail("reactions.add", [Fault::Status(500), Fault::Lost, Fault::Limited(1)]);
        stage.slack.fail("chat.postMessage", [Fault::Page, Fault::Status(503)]);
    };
    let mut sent = Vec::new();
    for i in 0..10 {
        for (name, thread) in names.iter().zip(&threads) {
            sent.push(stage.slack.unheard(thread, if i % 2 == 0 { ANN } else { BOB }, &format!("{name} says {i}")));
        }
        if i % 3 == 0 {
            storm();
            // At a moment that is another one each time.
            std::thread::sleep(Duration::from_millis(70 * i));
            drop(listener.take());
            listener = Some(stage.listen(hurried()));
        }
    }
    let patience = Instant::now() + Duration::from_mins(3);
    while sent.iter().any(|ts| stage.slack.reactions(ts).is_empty()) {
        assert!(Instant::now() < patience, "not every reply got its receipt");
        std::thread::sleep(Duration::from_millis(50));
    }
    for name in names {
        let wanted: Vec<String> = (0..10).map(|i| format!("{name} says {i}")).collect();
        assert_eq!(stage.words(name), wanted);
    }
}

#[test]
#[ignore = "slow: half a minute and twenty agents at once"]
fn two_hundred_replies_over_twenty_sessions_with_faults() {
    each_exactly_once(20, 10);
}

#[test]
#[ignore = "a figure, not a test: from a reply to its bytes in the pane"]
fn from_a_reply_to_the_pane() {
    let stage = Stage::new();
    let _service = stage.serve();
    stage.until_it_hears();
    let thread = stage.session("ops");
    let mut spans = Vec::new();
    for i in 0..40 {
        let words = format!("measured {i} ");
        let begun = Instant::now();
        let ts = stage.slack.reply(&thread, ANN, &words);
        let in_pane = wait_for("the words in the pane", || {
            stage.home.tmux().screen("loop-standing-ops").contains(words.trim_end()).then(|| begun.elapsed())
        });
        stage.marked(&ts, "white_check_mark");
        spans.push((in_pane, begun.elapsed()));
    }
    let at = |mut all: Vec<Duration>, percent: usize| {
        all.sort();
        all[(all.len() - 1) * percent / 100]
    };
    let (pane, mark): (Vec<_>, Vec<_>) = spans.into_iter().unzip();
    figure(&format!(
        "from a reply to its words in the pane: p50 {:.0?}, p95 {:.0?}; to the mark on the reply: p50 {:.0?}, p95 {:.0?}",
        at(pane.clone(), 50),
        at(pane, 95),
        at(mark.clone(), 50),
        at(mark, 95)
    ));
}

/// More threads than older readers of `slack.json` expect: replies in the oldest one are received as well.
#[test]
fn the_oldest_of_more_than_two_hundred_threads_is_heard() {
    for mode in ["socket", "poll"] {
        let stage = Stage::of(Stage::builder().set("/channels/slack/read/mode", serde_json::json!(mode)));
        let listener = stage.listen(hurried());
        let thread = stage.session("oldest");
        drop(listener);
        let record = std::fs::read_to_string(stage.home.records().join("oldest.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        for n in 0..230 {
            let name = format!("s{n}");
            let mut other = record.clone();
            // As the published program leaves one that it stopped.
            for (key, value) in [("name", name.as_str()), ("status", "stopped"), ("tmuxTarget", "")] {
                other[key] = serde_json::json!(value);
            }
            other["slackThread"] = serde_json::json!(format!("{}.{n:06}", 1_900_000_000));
            other.as_object_mut().expect("an object").retain(|key, _| PUBLISHED.contains(&key.as_str()));
            let text = format!("{other:#}\n");
            std::fs::write(stage.home.records().join(format!("{name}.json")), text).expect("written");
        }
        let _listener = stage.listen(hurried());
        stage.until_it_hears();
        wait_for("all threads to be known", || (stage.status()["threads"] == 231).then_some(()));
        assert_eq!(stage.kept("slack.json")["threads"].as_object().map(serde_json::Map::len), Some(200));
        let ts = match mode {
            "poll" => stage.slack.unheard(&thread, ANN, "do you hear me?"),
            _ => stage.slack.reply(&thread, ANN, "do you hear me?"),
        };
        stage.marked(&ts, "white_check_mark");
        assert_eq!(stage.words("oldest"), ["do you hear me?"]);
        assert_eq!(stage.slack.said_in(&thread), Vec::<String>::new(), "no farewell was said");
    }
}

/// The keys of a record that the published program knows.
const PUBLISHED: [&str; 16] = [
    "name",
    "harness",
    "harnessSessionId",
    "cwd",
    "tmuxTarget",
    "status",
    "createdAt",
    "startedAt",
    "lastMessageAt",
    "slackChannel",
    "slackThread",
    "description",
    "harnessArgs",
    "prompt",
    "autoStart",
    "slackEnabled",
];
