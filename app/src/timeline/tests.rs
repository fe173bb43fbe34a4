//! Rendered timelines: words, folds and escapes.

use std::fmt::Write as _;

use ::standing::timeline::{Entry, EntryKind};
use leptos::prelude::*;
use wire::{Evidence, Verdict};

use super::{
    EventsQuery,
    events::{Events, EventsPage},
    item::{Item, Scope, id_of},
    list::Entries,
};
use crate::texts::text_of;

fn entry(event: &str, kind: EntryKind) -> Entry {
    Entry {
        at: "2026-05-08T12:00:00.123Z".parse().expect("a time"),
        position: Some(42),
        session: "ops".to_owned(),
        event: event.to_owned(),
        kind,
        failed: false,
        actor: String::new(),
        surface: "cli".to_owned(),
        message_id: String::new(),
        text: None,
        cut_from: None,
        question: String::new(),
        verdict: None,
        evidence: None,
        turn: None,
        reason: String::new(),
        fields: [].into_iter().collect(),
    }
}

fn message(verdict: Verdict, evidence: Evidence) -> Entry {
    Entry {
        message_id: "ab12".to_owned(),
        actor: "night shift".to_owned(),
        text: Some("Cut 11.2 when CI is green.".to_owned()),
        verdict: Some(verdict),
        evidence: Some(evidence),
        ..entry("standing.said", EntryKind::Message)
    }
}

fn with(entry: Entry, fields: &[(&str, &str)]) -> Entry {
    let fields = fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
    Entry { fields, ..entry }
}

fn html(entry: Entry, scope: Scope) -> String {
    Owner::new().with(|| view! { <Item entry=entry scope=scope /> }.to_html())
}

/// The items of one day as a reader gets them, without their times.
fn texts(entries: Vec<Entry>) -> String {
    let html = Owner::new().with(|| view! { <Entries entries=Ok(entries) scope=Scope::Session empty="" /> }.to_html());
    text_of(&html)
}

/// Returns the tags of a document without the values of their attributes.
fn skeleton(html: &str) -> String {
    let (mut in_tag, mut in_value) = (false, false);
    let kept = html.chars().filter(|&c| {
        match c {
            '"' if in_tag => in_value = !in_value,
            '<' if !in_value => in_tag = true,
            '>' if !in_value => in_tag = false,
            _ => return in_tag && !in_value,
        }
        true
    });
    kept.collect()
}

/// Returns the entry with letters in place of all other characters.
fn harmless(entry: Entry) -> Entry {
    let plain = |text: String| "x".repeat(text.chars().count());
    let words = |text: String| text.split(' ').map(|word| plain(word.to_owned())).collect::<Vec<_>>().join(" ");
    let fields = entry.fields.into_iter().map(|(key, _)| (key, "x".into())).collect();
    Entry {
        text: entry.text.map(words),
        actor: plain(entry.actor),
        session: plain(entry.session),
        surface: plain(entry.surface),
        event: plain(entry.event),
        reason: plain(entry.reason),
        question: words(entry.question),
        fields,
        ..entry
    }
}

#[test]
fn hostile_text_is_text() {
    let hostile = "</span><script>alert(1)</script>\"' onclick=x & <!--";
    for text in [hostile.to_owned(), hostile.repeat(20)] {
        let entry = Entry {
            text: Some(text.clone()),
            actor: hostile.to_owned(),
            session: hostile.to_owned(),
            surface: hostile.to_owned(),
            event: hostile.to_owned(),
            reason: hostile.to_owned(),
            ..message(Verdict::NotDelivered, Evidence::None)
        };
        let other = with(Entry { kind: EntryKind::Other, verdict: None, ..entry.clone() }, &[("key", hostile)]);
        for entry in [entry.clone(), Entry { kind: EntryKind::Answer, question: hostile.to_owned(), ..entry }, other] {
            for scope in [Scope::Session, Scope::All] {
                let (hostile, harmless) = (html(entry.clone(), scope), html(harmless(entry.clone()), scope));
                assert_eq!(skeleton(&hostile), skeleton(&harmless), "{hostile}");
                assert!(hostile.contains("&lt;script"), "{hostile}");
            }
        }
    }
}

#[test]
fn only_an_undelivered_message_that_is_whole_can_be_sent_again() {
    let offers = |entry: Entry| html(entry, Scope::Session).contains("data-again=\"Cut 11.2 when CI is green.\"");
    let failed = message(Verdict::NotDelivered, Evidence::None);
    assert!(offers(failed.clone()));
    assert!(!offers(message(Verdict::Unconfirmed, Evidence::None)), "it may have arrived");
    assert!(!offers(Entry { cut_from: Some(100_000), ..failed.clone() }));
    assert!(!offers(Entry { kind: EntryKind::Answer, ..failed.clone() }));
    assert!(!offers(Entry { text: None, ..failed }));
}

#[test]
fn a_message_keeps_its_id_and_an_item_says_what_a_filter_needs() {
    let entry = message(Verdict::Queued, Evidence::Queue);
    assert_eq!(id_of(&entry), "message-ab12");
    assert_eq!(id_of(&Entry { position: None, ..entry.clone() }), "message-ab12");
    let started = super::tests::entry("standing.started", EntryKind::Lifecycle);
    assert_eq!(id_of(&started), "event-42");
    let html = html(entry, Scope::All);
    for part in [
        "id=\"message-ab12\"",
        "data-session=\"ops\"",
        "data-surface=\"cli\"",
        "data-event=\"standing.said\"",
        "data-verdict=\"queued\"",
        "datetime=\"2026-05-08T12:00:00.123Z\"",
        "href=\"/standing/ops\"",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(html.len() < 800, "{} bytes: {html}", html.len());
}

#[test]
fn a_long_text_is_folded_and_bounded() {
    let long = format!("First words. {}", "x".repeat(60_000));
    let html = html(Entry { text: Some(long), ..message(Verdict::Submitted, Evidence::Transcript) }, Scope::Session);
    assert!(html.contains("<details") && html.contains("The first 8 kB of 59 kB"), "{}", &html[..400]);
    assert!(html.len() < 10_000, "{}", html.len());
}

#[test]
fn a_mistake_is_under_its_field_which_keeps_its_text() {
    let page = EventsPage::empty(EventsQuery::parse("session=No+%22Name&until=yesterday&surface=mine"));
    let html = Owner::new().with(|| view! { <Events page=page /> }.to_html());
    for part in [
        "value=\"No &quot;Name\"",
        "aria-describedby=\"events-session-wrong\"",
        "id=\"events-session-wrong\"",
        "value=\"yesterday\"",
        "id=\"events-until-wrong\"",
        "<option value=\"mine\" selected>mine</option>",
        "Correct the filter to see events.",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!html.contains("events-since-wrong") && !html.contains("data-position"), "{html}");
}

#[test]
fn texts_are_current() {
    let lifecycle = |event: &str| entry(event, EntryKind::Lifecycle);
    let failed = |event: &str| Entry { failed: true, reason: "the directory is gone".to_owned(), ..lifecycle(event) };
    let because =
        |verdict: Verdict, reason: &str| Entry { reason: reason.to_owned(), ..message(verdict, Evidence::None) };
    let answer = |text: Option<&str>| Entry {
        kind: EntryKind::Answer,
        text: text.map(str::to_owned),
        question: text.map(|_| "Run it?".to_owned()).unwrap_or_default(),
        actor: "slack:U02".to_owned(),
        surface: "channels".to_owned(),
        ..message(Verdict::Submitted, Evidence::QuestionGone)
    };
    let mut started = with(entry("service.started", EntryKind::Service), &[("host", "127.0.0.1")]);
    started.fields.insert("port".to_owned(), 4114.into());
    let entries = vec![
        message(Verdict::Submitted, Evidence::Transcript),
        message(Verdict::Submitted, Evidence::InputEmptied),
        message(Verdict::Queued, Evidence::Queue),
        because(Verdict::Unconfirmed, "could not confirm that the harness received it"),
        because(Verdict::NotDelivered, "a prompt was open"),
        with(Entry { text: None, ..because(Verdict::NotDelivered, "") }, &[("code", "unsent-text")]),
        Entry { text: None, actor: String::new(), ..message(Verdict::Submitted, Evidence::Transcript) },
        Entry { text: Some("A long message. ".repeat(16)), ..message(Verdict::Submitted, Evidence::Transcript) },
        answer(Some("2. Yes, go on")),
        with(answer(None), &[("choice", "2")]),
        with(lifecycle("standing.created"), &[("cwd", "/srv/app")]),
        failed("standing.create_failed"),
        lifecycle("standing.started"),
        lifecycle("standing.resumed"),
        failed("standing.resume_failed"),
        failed("standing.spawn_failed"),
        with(lifecycle("standing.stopped"), &[("detail", "SIGTERM to demo")]),
        failed("standing.stop_failed"),
        lifecycle("standing.deleted"),
        lifecycle("standing.restored"),
        entry("standing.taken_up", EntryKind::Queue),
        entry("standing.taken_back", EntryKind::Queue),
        entry("standing.announced", EntryKind::Slack),
        Entry { kind: EntryKind::Slack, ..failed("standing.announce_failed") },
        Entry { actor: "slack:U02".to_owned(), ..entry("channel.reply_received", EntryKind::Slack) },
        with(entry("channel.dropped", EntryKind::Slack), &[("reason", "unauthorized-actor")]),
        with(entry("channel.mirror_skipped", EntryKind::Slack), &[("reason", "quiet")]),
        with(failed("workspace.trust_failed"), &[("cwd", "/srv/app")]),
        started,
        entry("service.stopped", EntryKind::Service),
        with(entry("new.event", EntryKind::Other), &[("key", "value")]),
    ];
    let mut text = String::new();
    let _ = writeln!(text, "== entries\n{}\n", texts(entries));
    for (title, query) in [
        ("no event", ""),
        ("no event matches the filter", "session=ops&kind=failures&since=2026-05-08T12:00:00Z"),
        ("mistakes in the filter", "session=No+Name&until=yesterday"),
        ("an earlier page", "before=7.1"),
    ] {
        let page = EventsPage::empty(EventsQuery::parse(query));
        let html = Owner::new().with(|| view! { <Events page=page /> }.to_html());
        // The zone of the machine is not a text.
        let shown = text_of(&html).replace(&format!("server, {}.", super::time::zone()), "server, UTC.");
        let shown: Vec<&str> = shown.lines().collect();
        let _ = writeln!(text, "== {title}\n{}\n", shown.join("\n"));
    }
    testkit::assert_text("events.txt", &text);
}
