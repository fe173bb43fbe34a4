//! `the-loop` alone, and a start that has nothing to start.

use serde_json::json;
use testkit::TestHome;

use crate::app::{Said, THE_LOOP};

fn run(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).args(args).output().expect("the binary runs"))
}

/// The commands that it proposes.
fn next(said: &Said) -> Vec<&str> {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:#?}");
    let (_, next) = said.out.split_once("\nNext:\n").expect("commands");
    next.lines().map(|line| line.trim().split("  ").next().unwrap_or_default()).collect()
}

#[test]
fn alone_it_shows_the_state_and_the_three_next_things_to_type() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let empty = run(&home, &[]);
    assert!(empty.out.starts_with("service  not running\nsessions  none\nstate     /"), "{}", empty.out);
    assert_eq!(next(&empty), ["the-loop standing create hello --harness demo", "the-loop start", "the-loop --help"]);
    assert!(!home.project().join(".the-loop/local").exists(), "nothing was written");

    let asks = ["--harness-arg=--fault", "--harness-arg=dialog=Push it?"];
    let made = run(&home, &[&["standing", "create", "ops"][..], &asks].concat());
    assert_eq!(made.code, 0, "{made:#?}");
    let waiting = run(&home, &[]);
    assert!(waiting.out.contains("\nsessions  1 waiting\n"), "{}", waiting.out);
    assert!(waiting.out.contains("answer its prompt: Push it?"), "{}", waiting.out);
    assert_eq!(next(&waiting), ["the-loop standing answer ops", "the-loop start", "the-loop --help"]);
    run(&home, &["standing", "stop", "ops"]);
    assert!(run(&home, &[]).out.contains("\nsessions  1 stopped\n"));
}

#[test]
fn alone_with_an_invalid_config_it_says_what_is_wrong() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    home.write_config("standingSessions: 3\n");
    let said = run(&home, &[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:#?}");
    assert!(said.err.contains("standingSessions"), "{}", said.err);
}

#[test]
fn a_start_that_starts_nothing_says_why_and_what_to_add() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let none = run(&home, &["start", "--sessions-only"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""), "{none:#?}");
    let file = home.config_file().display().to_string();
    for part in ["none is declared or created", "the-loop standing create NAME", "sessions: [{name: NAME}]", &file] {
        assert!(none.err.contains(part), "{part}: {}", none.err);
    }
    home.reconfigure(
        "/standingSessions",
        json!({ "enabled": true, "sessions": [{ "name": "ops", "autoStart": false }] }),
    );
    let by_hand = run(&home, &["start", "--sessions-only"]);
    assert_eq!(by_hand.code, 0);
    assert!(by_hand.err.contains("`autoStart` is false for ops"), "{}", by_hand.err);
    home.reconfigure("/standingSessions", json!({ "sessions": [{ "name": "ops" }] }));
    let disabled = run(&home, &["start", "--sessions-only"]);
    assert!(disabled.out.contains("set `standingSessions.enabled: true` in"), "{disabled:#?}");
    let json = run(&home, &["start", "--sessions-only", "--format", "json"]);
    assert_eq!(json.err, "");
}
