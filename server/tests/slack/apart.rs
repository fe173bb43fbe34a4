//! Isolation of failures and waits: channels do not wait for each other, and work for Slack does not hold up the
//! workers of the service.

use std::{
    fs::{File, OpenOptions},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use server::slack::{Timing, host};
use standing::CreateRequest;
use testkit::{Fault, StubSlack, wait_for};

use crate::stage::{ANN, Stage, hurried};

fn create_in(stage: &Stage, name: &str, channel: &str) {
    let request =
        CreateRequest { slack_enabled: true, slack_channel: channel.to_owned(), ..CreateRequest::named(name) };
    let report = stage.instance().standing().create(&request).expect("created");
    assert!(report.ok, "{report:#?}");
}

#[test]
fn a_failing_channel_holds_up_no_receipt_question_or_farewell_of_another() {
    for fault in [Fault::Silent, Fault::Limited(3600), Fault::Status(503), Fault::Page, Fault::Refused("is_archived")] {
        let stage = Stage::new();
        let _listener = stage.listen(hurried());
        create_in(&stage, "elsewhere", "#dev");
        let (far, near) = (stage.thread("elsewhere"), stage.session("ops"));
        stage.until_it_hears();
        for method in ["chat.postMessage", "reactions.add"] {
            stage.slack.break_for(method, StubSlack::OTHER, Some(fault.clone()));
        }
        for n in 0..3 {
            let text = format!("to a failing channel {n}");
            stage.slack.event_elsewhere(&json!({ "user": ANN, "thread_ts": far, "text": text }));
        }
        wait_for("them to be typed", || (stage.words("elsewhere").len() == 3).then_some(()));
        let begun = Instant::now();
        let ts = stage.slack.reply(&near, ANN, "hello");
        stage.marked(&ts, "white_check_mark");
        stage.slack.reply(&near, ANN, "?screen");
        stage.told(&near, "```");
        let request = standing::DeleteRequest { name: "ops".to_owned() };
        stage.instance().standing().delete(&request).expect("deleted");
        stage.told(&near, "was deleted");
        // A call that gets no answer takes 15 s.
        assert!(begun.elapsed() < Duration::from_secs(12), "{fault:?}: it took {:?}", begun.elapsed());
    }
}

#[test]
fn a_channel_that_cannot_be_announced_in_holds_up_no_other_and_is_told_of_once() {
    for fault in [Fault::Silent, Fault::Refused("not_in_channel")] {
        let stage = Stage::new();
        let _listener = stage.listen(hurried());
        stage.until_it_hears();
        stage.slack.break_for("chat.postMessage", StubSlack::OTHER, Some(fault.clone()));
        create_in(&stage, "elsewhere", StubSlack::OTHER);
        wait_for("it to be tried", || stage.slack.calls().contains_key("chat.postMessage").then_some(()));
        let begun = Instant::now();
        let thread = stage.session("ops");
        let ts = stage.slack.reply(&thread, ANN, "hello");
        stage.marked(&ts, "white_check_mark");
        assert!(begun.elapsed() < Duration::from_secs(12), "it took {:?}", begun.elapsed());
        if let Fault::Refused(_) = fault {
            let failed = stage.events("standing.announce_failed");
            assert_eq!((failed.len(), &failed[0]["standing"]), (1, &json!("elsewhere")), "{failed:#?}");
            assert_eq!(stage.slack.calls()["chat.postMessage"], 2, "one that failed, and one");
        }
    }
}

#[test]
fn a_channel_that_takes_no_more_is_told_of_in_the_status_and_not_tried_for_ever() {
    let stage = Stage::new();
    let _listener = stage.listen(hurried());
    let thread = stage.session("ops");
    stage.until_it_hears();
    for method in ["chat.postMessage", "reactions.add"] {
        stage.slack.break_for(method, StubSlack::CHANNEL, Some(Fault::Refused("is_archived")));
    }
    stage.slack.reply(&thread, ANN, "hello");
    let told = wait_for("the status to tell", || {
        Some(stage.status()["channelProblems"][StubSlack::CHANNEL].as_str()?.to_owned())
    });
    assert!(told.contains("cannot post") && told.contains("the channel is archived"), "{told}");
    wait_for("the receipt to be given up", || (stage.status()["pending"] == 0).then_some(()));
    assert_eq!(stage.slack.calls()["reactions.add"], 1);
    let found = stage.the_loop(&["doctor"]);
    let found = String::from_utf8_lossy(&found.stdout);
    assert!(found.contains("the Slack channel C0OPS") && found.contains("is_archived"), "{found}");
    // What works again is no problem any more.
    for method in ["chat.postMessage", "reactions.add"] {
        stage.slack.break_for(method, StubSlack::CHANNEL, None);
    }
    let ts = stage.slack.reply(&thread, ANN, "and now?");
    stage.marked(&ts, "white_check_mark");
    wait_for("the status to be well", || (stage.status()["channelProblems"] == json!({})).then_some(()));
}

/// The longest that a task of a runtime with one worker had to wait for its turn while Slack is hosted on it.
struct Heartbeat {
    end: Arc<AtomicBool>,
    beating: Option<thread::JoinHandle<Duration>>,
}

impl Heartbeat {
    fn beside(stage: &Stage, timing: Timing) -> Self {
        let (the_loop, end) = (stage.instance(), Arc::new(AtomicBool::new(false)));
        let ended = Arc::clone(&end);
        let beating = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let hosting = host(&the_loop.clone().into(), timing);
                let mut longest = Duration::ZERO;
                while !ended.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    longest = longest.max(begun.elapsed());
                }
                hosting.end().await;
                longest
            })
        });
        Self { end, beating: Some(beating) }
    }

    fn longest(mut self) -> Duration {
        self.end.store(true, Ordering::Relaxed);
        self.beating.take().expect("once").join().expect("it beats to the end")
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(beating) = self.beating.take() {
            let _ = beating.join();
        }
    }
}

fn held(path: &std::path::Path) -> File {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path).expect("the lock's file");
    file.lock().expect("held");
    file
}

#[test]
fn no_work_for_slack_holds_up_a_worker_while_a_lock_is_held() {
    for mode in ["socket", "poll"] {
        let stage = Stage::of(Stage::builder().set("/channels/slack/read/mode", json!(mode)));
        let heart = Heartbeat::beside(&stage, hurried());
        let thread = stage.session("ops");
        stage.until_it_hears();
        let events = stage.home.project().join(".the-loop/logs/events.jsonl.lock");
        let locks = [stage.channels().join("slack.json.lock"), events].map(|path| held(&path));
        // Everything that goes on meanwhile wants a lock: a thread to be bound, one to be read, an event.
        create_in(&stage, "other", "#ops");
        let ts = stage.slack.reply(&thread, ANN, "while it is held");
        stage.marked(&ts, "white_check_mark");
        // Longer than anything waits for such a lock.
        thread::sleep(Duration::from_secs(7));
        let ts = stage.slack.reply(&thread, ANN, "and still");
        stage.marked(&ts, "white_check_mark");
        if mode == "socket" {
            let slowest = stage.slack.slowest_acknowledgement();
            assert!(slowest < Duration::from_secs(3), "Slack waits for {slowest:?}");
        }
        drop(locks);
        stage.thread("other");
        let longest = heart.longest();
        assert!(longest < Duration::from_secs(1), "{mode}: a task waited for {longest:?}");
        assert_eq!(stage.words("ops"), ["while it is held", "and still"]);
    }
}

#[test]
fn what_was_missed_goes_first_even_where_reading_is_slowed() {
    let stage = Stage::new();
    let _listener = stage.listen(Timing { hello: Duration::from_secs(10), ..hurried() });
    let threads: Vec<String> = ["a", "b", "c"].iter().map(|name| stage.session(name)).collect();
    stage.until_it_hears();
    stage.slack.grant_every("conversations.replies", Duration::from_millis(1200));
    stage.slack.pages_of(2);
    stage.slack.fail("apps.connections.open", [Fault::Status(503)]);
    stage.slack.cut();
    let thread = &threads[2];
    let mut sent: Vec<String> = (0..3).map(|n| stage.slack.unheard(thread, ANN, &format!("missed {n}"))).collect();
    wait_for("a new socket", || (stage.slack.sockets() == (1, 2)).then_some(()));
    sent.push(stage.slack.reply(thread, ANN, "after"));
    for ts in &sent {
        stage.marked(ts, "white_check_mark");
    }
    assert_eq!(stage.words("c"), ["missed 0", "missed 1", "missed 2", "after"]);
}
