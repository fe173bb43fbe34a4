//! Test of every real screen in `tests/screens/<harness>/`: it must be read as its own header says.

use std::{collections::BTreeMap, fs, path::Path};

use config::Routing;
use process::Surroundings;
use proptest::{collection::vec, prelude::*, sample::Index};

use super::{BUILT_IN, Screen, by_name};

struct Captured {
    name: String,
    header: BTreeMap<String, String>,
    text: String,
}

impl Captured {
    fn get(&self, key: &str) -> &str {
        self.header.get(key).map(String::as_str).unwrap_or_default()
    }
}

fn captured(harness: &Path) -> Vec<Captured> {
    let files = fs::read_dir(harness).expect("a folder").map(|entry| entry.expect("an entry").path());
    files
        .map(|path| {
            let file = fs::read_to_string(&path).expect("a screen");
            let (header, text) = file.split_once("\n---\n").expect("a header");
            let pairs = header.lines().map(|line| line.split_once(": ").unwrap_or((line.trim_end_matches(':'), "")));
            Captured {
                name: path.display().to_string(),
                header: pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
                text: text.trim_end().to_owned(),
            }
        })
        .collect()
}

#[test]
fn every_captured_screen_is_read_for_what_it_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    let mut read = 0;
    for harness in fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path()) {
        let name = harness.file_name().and_then(|name| name.to_str()).expect("a name");
        let adapter = by_name(name, &Routing::default(), &Surroundings::of_process()).expect("an adapter");
        for screen in captured(&harness) {
            let shown = Screen { text: &screen.text, title: screen.get("title") };
            let reading = adapter.read(shown);
            let activity = serde_json::to_value(reading.activity).expect("a word");
            assert_eq!(activity, screen.get("activity"), "{}: {reading:?}", screen.name);
            let asked = screen.get("question");
            assert!(reading.question.contains(asked), "{}: {reading:?}", screen.name);
            assert_eq!(reading.question.is_empty(), asked.is_empty(), "{}: {reading:?}", screen.name);
            let blocked = adapter.obstacle(shown).or_else(|| adapter.failed_turn(shown));
            let blocked = blocked.map(|obstacle| obstacle.kind.as_str());
            assert_eq!(blocked.unwrap_or_default(), screen.get("blocked"), "{}", screen.name);
            let message = match screen.get("message") {
                "" => "[the-loop] A message for standing session `ops`:\n\nhello".to_owned(),
                message => message.replace("\\n", "\n"),
            };
            let input = match adapter.holds_input(shown, &message) {
                None => "none",
                Some(true) => "unsent",
                Some(false) => "empty",
            };
            assert_eq!(input, screen.get("input"), "{}", screen.name);
            read += 1;
        }
    }
    assert!(read > 20, "only {read} screens were found");
}

/// Marks that agents draw before a line or a title, and change from one version to the next.
const MARKS: &str = "✻✽✢✶✳✸✺∗●•◦■⏺◐◓◑◒△✦⣾⣽⣻⢿⡿⣟⣯⣷⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⠐⠂⠠⠄";

/// Replaces the mark at the beginning of a line.
fn with_mark(line: &str, mark: &str) -> String {
    let rest = line.trim_start();
    match rest.chars().next() {
        Some(first) if MARKS.contains(first) => {
            format!("{}{mark}{}", &line[..line.len() - rest.len()], &rest[first.len_utf8()..])
        }
        _ => line.to_owned(),
    }
}

#[test]
fn other_marks_change_no_state() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    let mut replaced = 0;
    for harness in fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path()) {
        let name = harness.file_name().and_then(|name| name.to_str()).expect("a name");
        let adapter = by_name(name, &Routing::default(), &Surroundings::of_process()).expect("an adapter");
        for screen in captured(&harness) {
            let title = screen.get("title");
            let before = Screen { text: &screen.text, title };
            for mark in ["◆", "⊹", "~", "*"] {
                let text: Vec<String> = screen.text.lines().map(|line| with_mark(line, mark)).collect();
                let text = text.join("\n");
                let title = with_mark(title, mark);
                replaced += usize::from(text != screen.text || title != before.title);
                let after = Screen { text: &text, title: &title };
                let (read, reread) = (adapter.read(before), adapter.read(after));
                assert_eq!(read.activity, reread.activity, "{} with {mark}", screen.name);
                assert_eq!(read.question.is_empty(), reread.question.is_empty(), "{} with {mark}", screen.name);
                let obstacle = |screen| adapter.obstacle(screen).or_else(|| adapter.failed_turn(screen));
                let kind = |screen| obstacle(screen).map(|obstacle| obstacle.kind);
                assert_eq!(kind(before), kind(after), "{} with {mark}", screen.name);
                assert_eq!(adapter.is_up(before), adapter.is_up(after), "{} with {mark}", screen.name);
            }
        }
    }
    assert!(replaced > 80, "only {replaced} screens had a mark");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// A screen can be cut, torn and mixed with anything: each reader returns a reading or says that it does not know.
    #[test]
    fn no_screen_is_too_strange(
        which in any::<Index>(),
        edits in vec((any::<Index>(), 0..200_usize, "(\\PC|\n|[❯›┃╹▀│╭╰─△●✻⠋]|[0-9]\\. ){0,20}"), 0..6),
        title in "\\PC{0,30}",
        message in "(\\PC|\n){0,40}",
    ) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
        let mut harnesses: Vec<_> = fs::read_dir(folder).expect("the corpus").flatten().map(|entry| entry.path()).collect();
        harnesses.sort();
        let screens: Vec<Captured> = harnesses.iter().flat_map(|harness| captured(harness)).collect();
        let mut text: Vec<char> = which.get(&screens).text.chars().collect();
        for (at, cut, put) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, put.chars());
        }
        let text: String = text.into_iter().collect();
        let screen = Screen { text: &text, title: &title };
        for name in BUILT_IN {
            let adapter = by_name(name, &Routing::default(), &Surroundings::of_process()).expect("an adapter");
            let reading = adapter.read(screen);
            prop_assert_eq!(reading.activity == wire::Activity::Waiting, !reading.question.is_empty(), "{} of {}", name, text);
            adapter.is_up(screen);
            adapter.obstacle(screen);
            adapter.failed_turn(screen);
            adapter.holds_input(screen, &message);
        }
    }
}
