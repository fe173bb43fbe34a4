//! The session page as the server renders it.

use ::standing::{Details, PaneView};
use leptos::prelude::*;
use wire::{Activity, Choice, State};

use super::{
    MissingPage, MissingShell, MissingShellProps, SessionPage, SessionShell, SessionShellProps, Tab, load::Turn,
};
use crate::{
    Assets, Query,
    fixtures::{page, session},
    page::Session,
    timeline::SessionTimeline,
};

fn assets() -> Assets {
    Assets { bundle: None, stylesheet: Some("/style/main.css".to_owned()), icon: None, manifest: None }
}

fn of(session: Session) -> SessionPage {
    let common = page(vec![session.clone()], Query::default()).common;
    SessionPage {
        session,
        details: Details::default(),
        pane: Ok(None),
        timeline: SessionTimeline::empty("ops"),
        used: Vec::new(),
        turn: Turn { number: 2, all: 3, before: Some("before".to_owned()), after: None },
        blind: None,
        version: 7,
        tab: Tab::Pane,
        terminal: false,
        common,
    }
}

fn html(page: SessionPage) -> String {
    let html = Owner::new().with(|| SessionShell(SessionShellProps { assets: assets(), page }).to_html());
    html.replace("<!>", "")
}

fn shown(lines: &[&str]) -> PaneView {
    let lines = lines.iter().map(|&line| line.into()).collect();
    PaneView { version: 3, cols: 200, rows: 50, first: 41, lines, alive: true, ..PaneView::default() }
}

#[test]
fn a_pane_is_lines_with_numbers_and_classes() {
    let mut page = of(session("ops", State::Running, Activity::Idle));
    page.pane = Ok(Some(shown(&["\u{1b}[0;32mok\u{1b}[0m <done>", "", "end"])));
    let html = html(page);
    let line = "<span id=\"l-41\"><span class=\"g\">ok</span> &lt;done&gt;</span>\n<span id=\"l-42\"></span>\n";
    assert!(html.contains(line), "{html}");
    assert!(html.contains("200 × 50") && html.contains("data-pane=\"ops\"") && html.contains("data-first=\"41\""));
    assert!(!html.contains(" style="), "the policy forbids it");
    assert!(html.contains("rel=\"prev\"") && !html.contains("rel=\"next\"") && html.contains("2 of 3"), "{html}");
}

#[test]
fn a_prompt_has_its_answers_and_the_box_says_what_enter_does() {
    let mut asking = session("ops", State::Running, Activity::Waiting);
    asking.row.question = "Go on?".to_owned();
    asking.row.choices = vec![Choice { key: "1".to_owned(), text: "Yes".to_owned() }];
    let html = html(of(asking));
    let prompt = html.split_once("class=\"prompt\"").expect("a prompt").1;
    assert!(prompt.contains("Go on?") && prompt.contains("action=\"/app/standing/answer\""), "{prompt}");
    assert!(prompt.contains("name=\"choice\" value=\"1\"") && prompt.contains("Send anyway"), "{prompt}");
}

#[test]
fn a_dead_pane_keeps_its_screen_and_says_why() {
    let mut ended = session("ops", State::Ended, Activity::Unknown);
    ended.row.reason = "exited with status 3".to_owned();
    let mut page = of(ended);
    page.pane = Ok(Some(PaneView { alive: false, ..shown(&["last words"]) }));
    let html = html(page);
    assert!(html.contains("last words") && html.contains("class=\"pane-end\">exited with status 3"), "{html}");
    assert!(html.contains("action=\"/app/standing/start\"") && !html.contains("action=\"/app/standing/stop\""));
}

#[test]
fn the_facts_name_variables_and_never_values() {
    let mut declared = session("ops", State::Stopped, Activity::Unknown);
    declared.row.declared = true;
    declared.row.env = vec!["RUST_LOG".to_owned()];
    declared.row.secrets = vec!["API_KEY".to_owned()];
    (declared.row.slack_channel, declared.row.slack_thread) = ("C0OPS".to_owned(), "1700000000.000100".to_owned());
    let mut page = of(declared);
    page.details = Details {
        declared_at: Some(14),
        harness_args: vec!["--verbose".to_owned(), "two words".to_owned()],
        former_conversations: vec!["c0".to_owned()],
        ..Details::default()
    };
    let html = html(page);
    let about = html.split_once("id=\"about\"").expect("facts").1;
    for text in [
        "cli-config.yaml:14",
        "--verbose 'two words'",
        "RUST_LOG",
        "API_KEY",
        "~/src/loop",
        "8c1f…0001",
        "1 earlier",
        "https://slack.com/archives/C0OPS/p1700000000000100",
    ] {
        assert!(about.contains(text), "{text} in {about}");
    }
    assert!(!html.contains("confirm=delete"), "a declared session is not deleted here");
}

#[test]
fn what_others_wrote_is_text() {
    let markup = "</pre></textarea><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    let mut hostile = session("x", State::Running, Activity::Waiting);
    for text in [
        &mut hostile.row.description,
        &mut hostile.row.question,
        &mut hostile.row.reason,
        &mut hostile.row.cwd,
        &mut hostile.row.harness,
        &mut hostile.row.harness_session_id,
        &mut hostile.row.slack_channel,
        &mut hostile.row.slack_thread,
    ] {
        markup.clone_into(text);
    }
    hostile.row.env = vec![markup.to_owned()];
    let mut page = of(hostile);
    page.details.harness_args = vec![markup.to_owned()];
    page.details.created_by = markup.to_owned();
    page.details.former_conversations = vec![markup.to_owned()];
    page.pane = Ok(Some(shown(&[markup, "\u{1b}]8;;javascript:alert(1)\u{7}link\u{1b}]8;;\u{7}"])));
    let html = html(page);
    assert!(!html.contains("<script>alert") && !html.contains("<img") && !html.contains("javascript:"), "{html}");
}

#[test]
fn an_unknown_name_is_told_with_similar_ones() {
    let sessions = vec![session("release-watch", State::Stopped, Activity::Unknown)];
    let missing = MissingPage::of(&page(sessions, Query::default()), "relase-watch<b>");
    let html = Owner::new().with(|| MissingShell(MissingShellProps { assets: assets(), page: missing }).to_html());
    assert!(html.contains("href=\"/standing/release-watch\"") && html.contains("relase-watch&lt;b&gt;"), "{html}");
}

/// Every colour of the pane is readable on its ground and on every tint.
#[test]
fn every_colour_of_the_pane_has_enough_contrast() {
    let sheets = [include_str!("../../../style/tokens.css"), include_str!("../../../style/session.css")].concat();
    let token = |name: &str| -> Vec<[f64; 3]> {
        let value = sheets.split_once(&format!("{name}:")).unwrap_or_else(|| panic!("{name} is set")).1;
        let value = value.split_once(';').expect("an end").0;
        // Both of a `light-dark`.
        value.split('#').skip(1).map(|hex| rgb(&hex[..6])).collect()
    };
    let colours = ["ink", "dim", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    let grounds = ["tty", "tty-bar", "tty-kn", "tty-kr", "tty-ky", "tty-kg", "tty-kc", "tty-ku", "tty-km"];
    let mut checked = 0;
    for ground in grounds.iter().flat_map(|ground| token(&format!("--{ground}"))) {
        for name in colours {
            for colour in token(&format!("--tty-{name}")) {
                let faint = std::array::from_fn(|at| colour[at] * 0.8 + ground[at] * 0.2);
                let reversed = contrast(ground, colour);
                let least = if name == "dim" { contrast(colour, ground) } else { contrast(faint, ground) };
                assert!(least >= 4.5 && reversed >= 4.5, "{name}: {least:.2} on {ground:?}");
                checked += 1;
            }
        }
    }
    assert!(checked >= grounds.len() * colours.len());
    assert!(
        sheets.contains("color-mix(in srgb, var(--f, var(--tty-ink)) 80%, var(--k, var(--tty)))"),
        "as computed here"
    );
}

fn rgb(hex: &str) -> [f64; 3] {
    std::array::from_fn(|at| f64::from(u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).expect("a colour")))
}

/// Returns the contrast of two colours, as WCAG defines it.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let part = |part: f64| {
            let part = part / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = colour.map(part);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
