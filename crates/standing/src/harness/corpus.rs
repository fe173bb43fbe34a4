//! Every real screen in `tests/screens/<harness>/` is read as its own header says.

use std::{collections::BTreeMap, fs, path::Path};

use super::{Screen, by_name};
use crate::{Surroundings, config::Routing};

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
