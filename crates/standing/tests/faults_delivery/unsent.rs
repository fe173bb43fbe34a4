//! A message is never pasted behind a text that stands unsent in the input box.

use standing::{CreateRequest, Error, SayRequest};
use testkit::{TestHome, wait_for};
use wire::{Evidence, Verdict};

use crate::stage::{begin, faulty, framed, home, message, said, say};

/// A time that no test outlives, in milliseconds.
const FOREVER: u32 = 3_600_000;

fn forced(name: &str, text: &str) -> SayRequest {
    SayRequest { force: true, ..message(name, text) }
}

/// Types as a person does, past the-loop, and sends nothing.
fn types(home: &TestHome, name: &str, text: &str) {
    let session = format!("=loop-standing-{name}:");
    home.tmux().run(&["send-keys", "-t", &session, "-l", text]);
    let shown = || home.tmux().screen(&format!("loop-standing-{name}")).contains(text).then_some(());
    wait_for("the words to stand in the box", shown);
}

#[test]
fn a_message_is_refused_while_an_earlier_one_stands_unsent_and_the_refusal_shows_it() {
    let home = home();
    let the_loop = home.the_loop();
    let held = format!("quiet={FOREVER}");
    begin(&the_loop, &faulty("ops", &[&held]));
    assert_eq!(say(&the_loop, "ops", "MESSAGE-A").verdict, Verdict::Unconfirmed);
    let error = the_loop.standing().say(&message("ops", "MESSAGE-B")).expect_err("refused");
    assert!(matches!(error, Error::UnsentText { .. }), "{error}");
    assert_eq!(error.code().http_status(), 409);
    let text = error.problem().detail;
    assert!(text.contains("MESSAGE-A") && text.contains("--force") && text.contains("tmux attach -t"), "{text}");
    let screen = home.tmux().screen("loop-standing-ops");
    assert!(screen.contains("MESSAGE-A") && !screen.contains("MESSAGE-B"), "{screen}");
}

#[test]
fn a_message_is_refused_while_a_persons_draft_stands_in_the_box() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    types(&home, "ops", "half a thought");
    let error = the_loop.standing().say(&message("ops", "hello")).expect_err("refused");
    assert!(error.to_string().contains("half a thought"), "{error}");
    assert!(said(&home, &row).is_empty());

    // With force the draft is a turn of its own, and the message the next one.
    let receipt = the_loop.standing().say(&forced("ops", "hello")).expect("a receipt");
    assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::Transcript));
    assert_eq!(said(&home, &row), ["half a thought".to_owned(), framed("ops", "hello")]);
}

#[test]
fn force_types_nothing_behind_a_text_that_does_not_leave_the_box() {
    let home = home();
    let the_loop = home.the_loop();
    let held = format!("quiet={FOREVER}");
    let row = begin(&the_loop, &faulty("ops", &[&held]));
    assert_eq!(say(&the_loop, "ops", "MESSAGE-A").verdict, Verdict::Unconfirmed);
    let error = the_loop.standing().say(&forced("ops", "MESSAGE-B")).expect_err("refused");
    assert!(matches!(error, Error::UnsentText { .. }), "{error}");
    assert!(said(&home, &row).is_empty());
}

#[test]
fn the_same_message_under_its_key_has_enter_pressed_again_and_is_typed_once() {
    let home = home();
    let the_loop = home.the_loop();
    // As many as one delivery presses.
    let row = begin(&the_loop, &faulty("ops", &["deaf-enters=3"]));
    let request = SayRequest { idempotency_key: "key-1".to_owned(), ..message("ops", "only once") };
    let first = the_loop.standing().say(&request).expect("a receipt");
    assert_eq!(first.verdict, Verdict::Unconfirmed);
    let receipt = the_loop.standing().say(&request).expect("a receipt");
    assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::Transcript));
    assert_eq!(receipt.message_id, first.message_id);
    assert_eq!(said(&home, &row), [framed("ops", "only once")]);
}
