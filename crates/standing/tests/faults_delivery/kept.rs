//! The texts of messages are kept for the timeline, privately and in bounds, and never at the cost of a delivery.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::json;
use standing::{
    AnswerRequest, ControlVerb, CreateRequest, DeleteRequest, SayRequest, SessionName,
    timeline::{EntryKind, Kinds, TimelineQuery},
};
use testkit::{TestHome, wait_for};
use wire::{Evidence, Verdict};

use crate::{
    once::killed_at,
    stage::{begin, builder, control, faulty, home, kept, message, say, shows},
};

fn file(home: &TestHome, name: &str) -> PathBuf {
    home.records().join(format!(".messages/{name}.jsonl"))
}

fn log(home: &TestHome) -> String {
    fs::read_to_string(home.project().join(".the-loop/logs/events.jsonl")).unwrap_or_default()
}

#[test]
fn a_message_is_kept_with_its_sender_and_verdict_and_the_log_has_no_text() {
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest::named("ops"));
    let hostile = "<script>alert(1)</script>\u{1b}[2Jone\r\ntwo\u{9b}31m \u{2028}日本語\0";
    let request = SayRequest { actor: "night\nshift".to_owned(), ..message("ops", hostile) };
    let receipt = the_loop.standing().say(&request).expect("a receipt");
    let long = format!("{}END-OF-IT", "x".repeat(64 * 1024));
    say(&the_loop, "ops", &long);

    let entries = kept(&the_loop, "ops");
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!(entries[0].cut_from, Some(long.len()), "the newest first, and it says that it was cut");
    assert!(long.starts_with(entries[0].text.as_deref().expect("kept")));
    let entry = &entries[1];
    assert_eq!(entry.text.as_deref(), Some("<script>alert(1)</script>[2Jone\ntwo31m \u{2028}日本語"));
    assert_eq!((entry.actor.as_str(), entry.surface.as_str()), ("night shift", "test"));
    assert_eq!((entry.verdict, entry.evidence), (Some(Verdict::Submitted), Some(Evidence::Transcript)));
    assert_eq!((&entry.message_id, entry.kind), (&receipt.message_id, EntryKind::Message));
    assert!(entry.position.is_some(), "it is one entry with its line in the log");

    let log = log(&home);
    assert!(!log.contains("alert(1)") && !log.contains("END-OF-IT") && !log.contains("xxxxxxxx"), "{log}");
    let mode = |path: PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(file(&home, "ops")), mode(home.records().join(".messages"))), (0o600, 0o700));
    the_loop.standing().delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
    assert!(!file(&home, "ops").exists(), "a delete removes its messages");
}

#[test]
fn a_refused_message_is_kept_with_the_reason_and_an_answer_with_its_prompt() {
    const PROMPT: &str = "Trust the files in this folder?";
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &faulty("ops", &[&format!("dialog={PROMPT}")]));
    shows(&home, "ops", PROMPT);
    for _ in 0..3 {
        the_loop.standing().say(&message("ops", "a secret plan")).expect_err("refused");
    }
    let request = AnswerRequest { name: "ops".to_owned(), choice: "2".to_owned(), ..AnswerRequest::default() };
    let answered = the_loop.standing().answer(&request).expect("answered");
    let entries = kept(&the_loop, "ops");
    let answer = &entries[0];
    assert_eq!((answer.kind, &answer.message_id), (EntryKind::Answer, &answered.message_id));
    assert_eq!((answer.question.as_str(), answer.text.as_deref()), (PROMPT, Some("2. Yes, go on")));
    assert_eq!(answer.evidence, Some(Evidence::QuestionGone));
    let refused = &entries[1];
    assert_eq!((refused.text.as_deref(), refused.reason.as_str()), (Some("a secret plan"), "a prompt was open"));
    assert_eq!((refused.verdict, refused.failed), (Some(Verdict::NotDelivered), true));
    let texts = entries.iter().filter(|entry| entry.text.as_deref() == Some("a secret plan"));
    assert_eq!(texts.count(), 1, "the same refusal again keeps one text");
    let log = log(&home);
    assert!(log.contains("standing.say_refused") && !log.contains("secret plan") && !log.contains(PROMPT), "{log}");

    control(&the_loop, "ops", ControlVerb::Stop);
    the_loop.standing().say(&message("ops", "too late")).expect_err("refused");
    assert_eq!(kept(&the_loop, "ops")[0].reason, "it was not running (stopped)");
    // A message that is wrong in itself is a mistake of the caller, not an event of the session.
    the_loop.standing().say(&message("ops", "\u{1b}")).expect_err("refused");
    assert_eq!(kept(&the_loop, "ops")[0].text.as_deref(), Some("too late"));
}

#[test]
fn with_the_setting_off_no_text_is_kept_and_the_next_message_removes_the_others() {
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest::named("ops"));
    say(&the_loop, "ops", "before");
    assert!(file(&home, "ops").exists());
    home.reconfigure("/standingSessions/keepMessages", json!(false));
    let entries = kept(&the_loop, "ops");
    assert_eq!((entries.len(), &entries[0].text), (1, &None), "it is not shown any more");
    say(&the_loop, "ops", "after");
    assert!(!file(&home, "ops").exists());
    assert!(kept(&the_loop, "ops").iter().all(|entry| entry.text.is_none() && entry.verdict.is_some()));
}

#[test]
fn a_message_that_cannot_be_kept_is_delivered_and_told_without_its_text() {
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest::named("ops"));
    let folder = home.records().join(".messages");
    fs::write(&folder, "not a folder").expect("written");
    for _ in 0..2 {
        assert_eq!(say(&the_loop, "ops", "hello").verdict, Verdict::Submitted);
    }
    let entries = kept(&the_loop, "ops");
    assert_eq!(entries.iter().map(|entry| entry.text.as_deref()).collect::<Vec<_>>(), [None, None]);
    let about = folder.display().to_string();
    let told: Vec<String> = standing::notices().into_iter().filter(|told| told.contains(&about)).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    the_loop.standing().delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
}

#[test]
fn a_writer_that_is_killed_leaves_whole_entries_and_a_delivered_message() {
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest::named("ops"));
    say(&the_loop, "ops", "first");
    killed_at(&home, "messages.keep", &message("ops", "killed"));
    wait_for("the message to be typed", || home.tmux().screen("loop-standing-ops").contains("killed").then_some(()));
    say(&the_loop, "ops", "last");
    let texts: Vec<_> = kept(&the_loop, "ops").into_iter().filter_map(|entry| entry.text).collect();
    assert_eq!(texts, ["last", "first"]);
}

#[test]
fn a_kept_message_is_in_the_timeline_without_an_event_log() {
    let home = builder().set("/eventLog/enabled", json!(false)).build();
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest::named("ops"));
    for text in ["one", "two"] {
        say(&the_loop, "ops", text);
    }
    let entries = kept(&the_loop, "ops");
    let texts: Vec<_> = entries.iter().filter_map(|entry| entry.text.as_deref()).collect();
    assert_eq!(texts, ["two", "one"]);
    assert!(entries.iter().all(|entry| entry.position.is_none()));
    let page = the_loop.timeline(&TimelineQuery { limit: 1, ..query("ops") }).expect("a page");
    let older = TimelineQuery { before: page.older, ..query("ops") };
    assert_eq!(the_loop.timeline(&older).expect("a page").entries[0].text.as_deref(), Some("one"));
}

fn query(name: &str) -> TimelineQuery {
    TimelineQuery::of(SessionName::parse(name).expect("a name"))
}

#[test]
fn news_are_the_entries_since_a_position_and_the_messages_whose_verdict_changed() {
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &faulty("ops", &["busy=4000", "queue"]));
    shows(&home, "ops", "working…");
    let before = the_loop.timeline(&query("ops")).expect("a page");
    assert!(before.entries.iter().any(|entry| entry.kind == EntryKind::Lifecycle), "{before:?}");
    assert_eq!(say(&the_loop, "ops", "later").verdict, Verdict::Queued);
    let news = the_loop.timeline_news(&query("ops"), before.position).expect("news");
    let told: Vec<_> = news.entries.iter().map(|entry| (entry.text.as_deref(), entry.verdict)).collect();
    assert_eq!((told, news.gap), (vec![(Some("later"), Some(Verdict::Queued))], false));

    let row = || the_loop.standing().get("ops").expect("a row");
    wait_for("the turn to be taken up", || (row().queued == 0).then_some(()));
    say(&the_loop, "ops", "and now");
    let query = TimelineQuery { kinds: Kinds::Messages, ..query("ops") };
    let news = the_loop.timeline_news(&query, news.position).expect("news");
    let told: Vec<_> = news.entries.iter().map(|entry| (entry.text.as_deref(), entry.verdict)).collect();
    assert_eq!(told[0], (Some("later"), Some(Verdict::Submitted)), "{news:?}");
    assert_eq!(told[1].0, Some("and now"));
    let nothing = the_loop.timeline_news(&query, news.position).expect("news");
    assert_eq!((nothing.entries.len(), nothing.position), (0, news.position));
}
