//! Golden file of the page's text in each of its states.

use std::fmt::Write as _;

use wire::{Activity, ControlReport, ControlVerb, Evidence, Message, Outcome, Row, SayReceipt, State, Verdict};

use crate::{
    Page, Query,
    fixtures::{every_state, html, misconfigured, page, session, with_notice},
    notices::{Notice, Place},
    serverfns::messages,
};

/// Attributes that a reader sees or hears.
const READ_OUT: [&str; 4] = ["placeholder=", "aria-label=", "title=", "data-copy="];
/// Elements that are not read.
const UNREAD: [&str; 3] = ["script", "style", "time"];
/// Elements inside a line.
const INLINE: [&str; 10] = ["a", "b", "code", "kbd", "q", "span", "strong", "em", "svg", "time"];

/// Returns the readable text of a document, one line per block.
pub(crate) fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open].replace('\n', " "));
        rest = &rest[open..];
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        let tag = rest[1..end - 1].trim_start_matches('/');
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        if !INLINE.contains(&name) && !tag.starts_with('!') {
            text.push('\n');
        }
        for read in READ_OUT {
            let Some(value) = tag.split_once(&format!(" {read}\"")).and_then(|(_, rest)| rest.split('"').next()) else {
                continue;
            };
            if name != "time" {
                let _ = write!(text, " [{read}{value}] ");
            }
        }
        rest = &rest[end..];
        if UNREAD.contains(&name) && !html[..html.len() - rest.len()].ends_with(&format!("</{name}>")) {
            let close = rest.find(&format!("</{name}>")).unwrap_or(rest.len());
            rest = &rest[close..];
            text.push_str(if name == "time" { "…" } else { "" });
        }
    }
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let text = lines.join("\n");
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(text, |text, (entity, plain)| text.replace(entity, plain))
}

/// Returns the document between two landmarks.
fn main_of(page: Page) -> String {
    let html = html(page);
    let from = html.find("<main").unwrap_or_default();
    let to = html.find("</main>").unwrap_or(html.len());
    text_of(&html[from..to])
}

fn notices() -> String {
    let mut list = String::new();
    let outcomes = [
        Outcome::Started,
        Outcome::Resumed,
        Outcome::AlreadyRunning,
        Outcome::Stopped,
        Outcome::NotRunning,
        Outcome::Failed,
        Outcome::Deleted,
        Outcome::Misconfigured,
    ];
    for verb in [ControlVerb::Start, ControlVerb::Stop, ControlVerb::Restart] {
        for outcome in outcomes {
            let row = Row { outcome: Some(outcome), ..Row::titled("ops") };
            let notice = messages::report(&ControlReport::of(vec![row]), verb, Place::Session("ops".to_owned()));
            let _ = writeln!(list, "{} {}: {}", verb.as_str(), outcome.as_str(), notice.text);
        }
    }
    let rows = outcomes.map(|outcome| Row { outcome: Some(outcome), ..Row::titled("ops") });
    let all = messages::report(&ControlReport::of(rows.into()), ControlVerb::Start, Place::Page);
    let _ = writeln!(list, "all: {}", all.text.replace('\n', " / "));
    let none = messages::report(&ControlReport::of(vec![]), ControlVerb::Stop, Place::Page);
    let _ = writeln!(list, "none: {}", none.text);
    for verdict in [Verdict::Submitted, Verdict::Queued, Verdict::Unconfirmed, Verdict::NotDelivered] {
        let notice = receipt(verdict, vec![]);
        let _ = writeln!(list, "say {}: {}", verdict.as_str(), notice.text);
    }
    list
}

/// The notice of a receipt, at a time that does not change.
fn receipt(verdict: Verdict, messages: Vec<Message>) -> Notice {
    let delivered = verdict != Verdict::NotDelivered;
    let receipt = SayReceipt {
        turn: None,
        name: "ops".to_owned(),
        delivered,
        exit_code: u8::from(!delivered),
        messages,
        verdict,
        evidence: Evidence::None,
        message_id: String::new(),
    };
    Notice { at: "12:34".to_owned(), ..messages::receipt(&receipt, Place::Session("ops".to_owned())) }
}

#[test]
fn texts_are_current() {
    let plain = Query::default;
    let shell = html(page(every_state(), plain()));
    let main = shell.find("<main").unwrap_or_default()..shell.find("</main>").unwrap_or(shell.len());
    let mut around = shell.clone();
    around.replace_range(main, "");
    let mut asking = session("ops", State::Running, Activity::Waiting);
    asking.row.question = "Go on?".to_owned();
    asking.row.choices = vec![wire::Choice { key: "1".to_owned(), text: "Yes".to_owned() }];
    asking.row.queued = 2;
    (asking.row.slack_channel, asking.row.slack_thread) = ("C0OPS".to_owned(), "1700000000.000100".to_owned());
    let failed = receipt(Verdict::NotDelivered, vec![Message::err("the pane died")]);
    let sections = [
        ("around every page", text_of(&around)),
        ("a session in every state", main_of(page(every_state(), plain()))),
        ("a question with answers", main_of(page(vec![asking], plain()))),
        ("no session", main_of(page(vec![], plain()))),
        ("no session matches the filter", main_of(page(every_state(), Query::parse("q=nothing-like-it")))),
        (
            "delete a stopped session",
            main_of(page(vec![every_state().swap_remove(8)], Query::parse("confirm=delete&name=nightly-bench"))),
        ),
        (
            "delete a running session",
            main_of(page(vec![every_state().swap_remove(0)], Query::parse("confirm=delete&name=release-watch"))),
        ),
        ("the config cannot be used", main_of(misconfigured())),
        (
            "a message that was not delivered",
            main_of(with_notice(page(vec![session("ops", State::Running, Activity::Idle)], plain()), failed)),
        ),
        ("notices", notices()),
    ];
    let mut text = String::new();
    for (title, section) in sections {
        let _ = writeln!(text, "== {title}\n{}\n", section.trim_end());
    }
    testkit::assert_text("page.txt", &text);
}
