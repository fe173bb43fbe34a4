//! A session that waits on a question of its own: told once, and never answered blindly.

use serde_json::json;
use standing::CreateRequest;
use testkit::wait_for;

use crate::stage::{ANN, BOB, EVE, Stage, hurried};

const QUESTION: &str = "Trust the files in this folder?";

fn asking(stage: &Stage) -> String {
    let args = vec!["--fault".to_owned(), format!("dialog={QUESTION}")];
    let request = CreateRequest { slack_enabled: true, harness_args: Some(args), ..CreateRequest::named("ops") };
    let report = stage.instance().standing().create(&request).expect("created");
    assert!(report.ok, "{report:#?}");
    stage.thread("ops")
}

#[test]
fn a_question_is_told_once_and_no_reply_answers_it() {
    let stage = Stage::new();
    let listener = stage.listen(hurried());
    let thread = asking(&stage);
    let told = stage.told(&thread, "*ops* is waiting for an answer");
    assert!(told.contains(&format!("> {QUESTION}")) && told.contains("tmux attach"), "{told}");

    let ts = stage.slack.reply(&thread, ANN, "yes please");
    stage.marked(&ts, "no_entry");
    let refused = stage.told(&thread, "Not delivered");
    assert!(refused.contains(&format!("> {QUESTION}")), "{refused}");
    let shown = stage.slack.reply(&thread, ANN, "?screen");
    assert!(stage.told(&thread, "```").contains(QUESTION));
    assert_eq!(stage.slack.reactions(&shown), Vec::<String>::new());
    stage.shows("ops", QUESTION);

    // The operator answers at the terminal, and replies are typed again.
    stage.home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", "2"]);
    wait_for("the question to be gone", || {
        (!stage.home.tmux().screen("loop-standing-ops").contains("❯ 1.")).then_some(())
    });
    let ts = stage.slack.reply(&thread, ANN, "go on");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("ops"), ["go on"]);
    assert_eq!(
        stage.slack.said_in(&thread).iter().filter(|said| said.contains("*ops* is waiting for an answer")).count(),
        1
    );
    drop(listener);
}

#[test]
fn a_number_alone_answers_the_question_that_was_told() {
    let stage = Stage::new();
    let listener = stage.listen(hurried());
    let early = stage.session("calm");
    let ts = stage.slack.reply(&early, ANN, "2");
    stage.marked(&ts, "white_check_mark");
    assert_eq!(stage.words("calm"), ["2"], "nothing was asked: words like any others");

    let thread = asking(&stage);
    let told = stage.told(&thread, "*ops* is waiting for an answer");
    assert!(told.contains("*2*  Yes, go on") && told.contains("number of an answer"), "{told}");
    let ts = stage.slack.reply(&thread, EVE, "2");
    let wrong = stage.slack.reply(&thread, ANN, "7");
    stage.marked(&wrong, "no_entry");
    assert_eq!(stage.slack.reactions(&ts), Vec::<String>::new(), "she may not answer");
    stage.shows("ops", QUESTION);
    let ts = stage.slack.reply(&thread, BOB, " 2 ");
    stage.marked(&ts, "white_check_mark");
    let noted = stage.events("standing.answered");
    assert_eq!((noted.len(), &noted[0]["actor"], &noted[0]["choice"]), (1, &json!("slack:U0BOB"), &json!("2")));
    assert_eq!(stage.words("ops"), Vec::<String>::new(), "nothing was said to it");
    drop(listener);
}

#[test]
fn nobody_is_called_where_that_is_not_wanted() {
    let stage = Stage::of(Stage::builder().set("/channels/slack/events", json!([])));
    let _listener = stage.listen(hurried());
    let thread = asking(&stage);
    let ts = stage.slack.reply(&thread, ANN, "yes please");
    stage.marked(&ts, "no_entry");
    stage.told(&thread, "Not delivered");
    // Each of these is announced by a later look at all sessions than the one before; a question is told by the second.
    for later in ["later", "latest", "last"] {
        stage.session(later);
    }
    assert_eq!(stage.slack.said_in(&thread).len(), 1, "the refusal alone");
}
