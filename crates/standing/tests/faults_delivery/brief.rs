//! A start tells whether the agent took the brief it was started with.

use standing::{Error, Outcome};
use wire::Verdict;

use crate::stage::{create, faulty, home, message, transcript};

/// A time that no test outlives, in milliseconds.
const FOREVER: u32 = 3_600_000;

#[test]
fn a_brief_that_was_taken_is_said_to_be() {
    let home = home();
    let row = create(&home.the_loop(), &faulty("ops", &[]));
    assert_eq!((row.outcome, row.brief), (Some(Outcome::Started), Some(Verdict::Submitted)), "{row:?}");
    assert_eq!(row.detail.as_deref(), Some(""));
}

#[test]
fn a_brief_that_stands_in_the_box_has_enter_pressed() {
    let home = home();
    let row = create(&home.the_loop(), &faulty("ops", &["deaf-box"]));
    assert_eq!((row.outcome, row.brief), (Some(Outcome::Started), Some(Verdict::Submitted)), "{row:?}");
    assert_eq!(transcript(&home, &row).iter().filter(|(kind, _)| kind == "user").count(), 1);
}

#[test]
fn a_brief_that_was_not_taken_is_unconfirmed_and_no_message_joins_it() {
    let home = home();
    let the_loop = home.the_loop();
    let held = format!("quiet={FOREVER}");
    let row = create(&the_loop, &faulty("ops", &["deaf-box", &held]));
    assert_eq!((row.outcome, row.brief), (Some(Outcome::Started), Some(Verdict::Unconfirmed)), "{row:?}");
    assert!(
        row.detail
            .as_deref()
            .unwrap_or_default()
            .contains("could not confirm its brief: the text is still in its input box"),
        "{row:?}"
    );
    let error = the_loop.standing().say(&message("ops", "hello")).expect_err("refused");
    assert!(matches!(error, Error::UnsentText { .. }), "{error}");
    let started = home.events().into_iter().rfind(|event| event["event"] == "standing.started").expect("noted");
    assert_eq!(started["brief"], "unconfirmed");
}

#[test]
fn a_brief_behind_a_prompt_is_unconfirmed() {
    let home = home();
    let row = create(&home.the_loop(), &faulty("ops", &["dialog=Trust the files in this folder?"]));
    assert_eq!((row.outcome, row.brief), (Some(Outcome::Started), Some(Verdict::Unconfirmed)), "{row:?}");
    assert!(row.detail.as_deref().unwrap_or_default().contains("waiting for an answer to a prompt"), "{row:?}");
}
