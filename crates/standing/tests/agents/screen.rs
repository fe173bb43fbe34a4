//! Screen readers, tested on the screen of a running agent.

use standing::{AnswerRequest, CreateRequest, Error};
use wire::{Activity, Evidence, Verdict};

use crate::{
    agent::Agent,
    stage::{Stage, wait_for},
};

pub(crate) fn seen(agent: Agent) {
    let stage = Stage::new(agent);
    let args = agent.cautious().iter().map(|&arg| arg.to_owned()).collect();
    stage.create_with(&CreateRequest { harness_args: Some(args), ..CreateRequest::named("ops") });
    is(&stage, Activity::Idle);

    stage.model.hold(true);
    let receipt = stage.say("ops", "mark-slow").expect("said");
    assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}");
    is(&stage, Activity::Busy);
    stage.model.hold(false);
    stage.shows("ops", "heard mark-slow");
    is(&stage, Activity::Idle);

    // 60 KB stand in the input box as one line that says so.
    let receipt = stage.say("ops", &format!("mark-long {}", "a line of a long message\n".repeat(2400))).expect("said");
    assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}");
    stage.shows("ops", "heard mark-slow, mark-long");

    let made = stage.home.work().join("made");
    stage.say("ops", &format!("run-a-command {}", made.display())).expect("said");
    is(&stage, Activity::Waiting);
    let question = stage.surveyed("ops").question;
    assert!(question.contains(&format!("touch {}", made.display())), "{question:?}");
    let refused = stage.say("ops", "yes").expect_err("a pasted Enter would choose an answer");
    assert!(matches!(&refused, Error::Waiting { question: told, .. } if *told == question), "{refused:?}");
    assert!(!made.exists(), "nobody was asked");

    let choices = stage.surveyed("ops").choices;
    let request = |choice: &str| AnswerRequest {
        name: "ops".to_owned(),
        choice: choice.to_owned(),
        question: question.clone(),
        ..AnswerRequest::default()
    };
    if !agent.numbers_its_answers() {
        let refused = stage.the_loop.standing().answer(&request("1")).expect_err("no digit chooses");
        assert!(choices.is_empty() && matches!(refused, Error::NotWaiting { .. }), "{choices:?}, {refused:?}");
        return;
    }
    // The first answer of each lets the command run, this once.
    let receipt = stage.the_loop.standing().answer(&request("1")).expect("answered");
    assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::QuestionGone), "{receipt:?}");
    wait_for("the command to have run", || made.exists().then_some(()));
    println!("{}: answered by {:?}", agent.name(), receipt.messages[0].text);
}

/// Waits for a state, as the whole screen has it, and as the list has it if that claims to know.
fn is(stage: &Stage, activity: Activity) {
    let seen = wait_for(&format!("{activity:?}"), || {
        let row = stage.surveyed("ops");
        (row.activity == activity).then_some(row)
    });
    assert_eq!(seen.activity, activity);
    wait_for(&format!("{activity:?} in the list, or no claim"), || {
        let listed = stage.listed("ops").activity;
        (listed == activity || listed == Activity::Unknown).then_some(())
    });
}
