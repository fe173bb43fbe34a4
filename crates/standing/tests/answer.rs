//! A session's own question is answered by a choice that it offers, and by nothing else.

use serde_json::json;
use standing::{Activity, AnswerRequest, CreateRequest, Error, ProblemCode, TheLoop};
use testkit::{TestHome, wait_for};
use wire::{Evidence, Verdict};

const QUESTION: &str = "Trust the files in this folder?";

fn home() -> TestHome {
    TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).build()
}

/// A session that asks as soon as it is up.
fn asking(the_loop: &TheLoop, name: &str) {
    let args = vec!["--fault".to_owned(), format!("dialog={QUESTION}")];
    let request = CreateRequest { harness_args: Some(args), ..CreateRequest::named(name) };
    assert!(the_loop.standing().create(&request).expect("created").ok);
    wait_for("the question to be asked", || {
        (the_loop.standing().get(name).expect("a row").activity == Activity::Waiting).then_some(())
    });
}

fn request(choice: &str) -> AnswerRequest {
    AnswerRequest { name: "ops".to_owned(), choice: choice.to_owned(), ..AnswerRequest::default() }
}

#[test]
fn the_row_offers_the_answers_and_one_of_them_is_chosen() {
    for choice in ["2", "yes, go on"] {
        let home = home();
        let the_loop = home.the_loop();
        asking(&the_loop, "ops");
        let row = the_loop.standing().get("ops").expect("a row");
        let offered: Vec<_> = row.choices.iter().map(|choice| (choice.key.as_str(), choice.text.as_str())).collect();
        assert_eq!(offered, [("1", "No, exit"), ("2", "Yes, go on")]);
        let request = AnswerRequest { question: row.question, actor: "night\nshift".to_owned(), ..request(choice) };
        let receipt = the_loop.standing().answer(&request).expect("answered");
        assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::QuestionGone), "{receipt:?}");
        let row = the_loop.standing().get("ops").expect("a row");
        assert!(row.running && row.activity != Activity::Waiting && row.choices.is_empty(), "{row:?}");
        let noted = home.events().into_iter().rfind(|event| event["event"] == "standing.answered").expect("noted");
        assert_eq!((&noted["choice"], &noted["verdict"]), (&json!("2"), &json!("submitted")), "{noted}");
        assert!(!noted.to_string().contains(QUESTION) && !noted["actor"].to_string().contains("\\n"), "{noted}");
    }
}

#[test]
fn nothing_is_typed_unless_that_answer_is_offered_to_that_question() {
    let home = home();
    let the_loop = home.the_loop();
    asking(&the_loop, "ops");
    let refused = |request: &AnswerRequest, part: &str| {
        let error = the_loop.standing().answer(request).expect_err("refused");
        assert_eq!(error.code(), ProblemCode::NotWaiting, "{error}");
        assert!(error.to_string().contains(part), "{error} lacks {part}");
    };
    for choice in ["3", "0", "", "y", "no", "\r", "2\r"] {
        if choice.trim() != "2" {
            refused(&request(choice), "1. No, exit; 2. Yes, go on");
        }
    }
    refused(&AnswerRequest { question: "Delete everything?".to_owned(), ..request("2") }, QUESTION);
    let row = the_loop.standing().get("ops").expect("a row");
    assert_eq!((row.running, row.question.as_str()), (true, QUESTION), "it is still asked");

    the_loop.standing().answer(&request("2")).expect("answered");
    refused(&request("2"), "not waiting for an answer");
    the_loop
        .standing()
        .control(&standing::ControlRequest { name: "ops".to_owned(), verb: standing::ControlVerb::Stop })
        .expect("stopped");
    assert!(matches!(the_loop.standing().answer(&request("2")), Err(Error::NotRunning { .. })));
    let unknown = AnswerRequest { name: "nobody".to_owned(), ..request("2") };
    assert!(matches!(the_loop.standing().answer(&unknown), Err(Error::Unknown { .. })));
}

#[test]
fn a_question_without_numbered_answers_is_not_answered_blindly() {
    let home = home();
    home.reconfigure(
        "/routing/harnesses/asker",
        json!({ "command": ["sh", "-c", "printf 'Go on? (y/n) '; read -r answer; echo got $answer; sleep 600"] }),
    );
    let the_loop = home.the_loop();
    let create = CreateRequest { harness: "asker".to_owned(), ..CreateRequest::named("ops") };
    assert!(the_loop.standing().create(&create).expect("created").ok);
    let error = the_loop.standing().answer(&request("y")).expect_err("refused");
    assert_eq!(error.code(), ProblemCode::NotWaiting, "{error}");
    assert!(!home.tmux().screen("loop-standing-ops").contains("got"));
}
