//! Messages and conversations when a person or a stop interferes.

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use standing::{ControlVerb, CreateRequest, Error, Outcome, SayRequest};
use wire::{Activity, Evidence, Verdict};

use crate::{
    agent::Agent,
    stage::{Stage, wait_for},
};

/// A message to an agent at work is queued, is no turn when the session is stopped, and is one after the next start.
pub(crate) fn queued(agent: Agent) {
    let stage = Stage::new(agent);
    let conversation = stage.create("ops").harness_session_id;
    stage.model.hold(true);
    stage.say("ops", "mark-first").expect("said");
    wait_for("it to work", || (stage.surveyed("ops").activity == Activity::Busy).then_some(()));
    let receipt = stage.say("ops", "mark-second").expect("said");
    assert_eq!(
        (receipt.verdict, receipt.evidence),
        (Verdict::Queued, Evidence::Queue),
        "{receipt:?}\n{}",
        stage.look("ops")
    );
    assert_eq!(stage.listed("ops").queued, 1);
    let stopped = stage.control("ops", ControlVerb::Stop);
    let detail = stopped.detail.unwrap_or_default();
    assert!(detail.contains("middle of a turn") && detail.contains("1 queued message(s)"), "{detail}");
    stage.model.hold(false);
    let row = stage.control("ops", ControlVerb::Start);
    assert_eq!((row.outcome, row.harness_session_id), (Some(Outcome::Resumed), conversation.clone()));
    println!("{}: a start after a queued message: {:?}", agent.name(), row.detail);
    wait_for("the message to be a turn", || (stage.listed("ops").queued == 0).then_some(()));
    stage.shows("ops", "heard mark-first, mark-second");
    let turns = || -> usize {
        let texts = stage.transcripts(&conversation);
        let texts = texts.iter().map(|path| std::fs::read_to_string(path).unwrap_or_default());
        texts.map(|text| text.lines().filter(|line| line.contains("mark-second") && is_turn(agent, line)).count()).sum()
    };
    // An answer to it may be on the screen before the transcript has its turn.
    wait_for("the turn to be written", || (turns() > 0).then_some(()));
    assert_eq!(turns(), 1, "once, and no more");
}

fn is_turn(agent: Agent, line: &str) -> bool {
    match agent {
        Agent::Claude => line.contains("\"type\":\"user\"") || line.contains("\"queued_command\""),
        _ => line.contains("\"type\":\"response_item\"") && line.contains("\"role\":\"user\""),
    }
}

/// Text that a person left in the box is neither joined nor lost.
pub(crate) fn unsent(agent: Agent) {
    let stage = Stage::new(agent);
    stage.create("ops");
    let session = "=loop-standing-ops:";
    // What it shows in an empty box is no text of a person's.
    stage.say("ops", "mark-first").expect("said");
    stage.shows("ops", "heard mark-first");
    stage.home.tmux().run(&["send-keys", "-t", session, "-l", "mark-half a thought"]);
    stage.shows("ops", "mark-half a thought");
    let error = stage.say("ops", "mark-second").expect_err("refused");
    assert!(matches!(error, Error::UnsentText { .. }) && error.to_string().contains("mark-half a thought"), "{error}");
    let request =
        SayRequest { name: "ops".to_owned(), text: "mark-second".to_owned(), force: true, ..SayRequest::default() };
    let receipt = stage.the_loop.standing().say(&request).expect("said");
    assert!(matches!(receipt.verdict, Verdict::Submitted | Verdict::Queued), "{receipt:?}");
    stage.shows("ops", "mark-half, mark-second");
}

/// A person moves the agent to a new conversation, and then the agent is killed or exits. The next start resumes the
/// new conversation.
pub(crate) fn moved_and_ended(agent: Agent) {
    for killed in [true, false] {
        let stage = Stage::new(agent);
        let row = stage.create("ops");
        let (command, question) = agent.new_conversation().expect("asked of those that tell");
        stage.types("ops", command);
        if let Some(question) = question {
            stage.shows("ops", question);
            stage.presses_enter("ops");
        }
        wait_for("a fresh conversation", || (!stage.look("ops").contains("heard nothing")).then_some(()));
        stage.types("ops", "mark-moved");
        stage.shows("ops", "heard mark-moved");
        if killed {
            for (pid, _) in
                testkit::marked(&format!("THE_LOOP_ID={}", stage.record("ops")["loopId"].as_str().expect("an id")))
            {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        } else {
            stage.types("ops", if agent == Agent::Claude { "/exit" } else { "/quit" });
        }
        let dead = || stage.home.tmux().run(&["list-panes", "-a", "-F", "#{pane_dead}"]).stdout.starts_with(b"1");
        wait_for("its end", || dead().then_some(()));
        let started = stage.control("ops", ControlVerb::Start);
        assert_eq!(started.outcome, Some(Outcome::Resumed), "{started:?}");
        assert_ne!(started.harness_session_id, row.harness_session_id, "killed: {killed}");
        // A kill may take the answer with it.
        stage.shows("ops", "mark-moved");
        assert_eq!(stage.record("ops")["formerSessionIds"], serde_json::json!([row.harness_session_id]));
    }
}

/// Folders whose names the agent cuts or changes in a way of its own.
pub(crate) fn strange_folders(agent: Agent) {
    let long = "a".repeat(120);
    for folder in ["🦀work".to_owned(), format!("{long}/{long}/{long}"), format!("🦀{long}/é{long}")] {
        let stage = Stage::new(agent);
        let cwd = stage.repository(&folder).display().to_string();
        let first = stage.create_with(&CreateRequest { cwd, ..CreateRequest::named("ops") });
        assert_eq!(first.brief, Some(Verdict::Submitted), "{folder}: {first:?}");
        let receipt = stage.say("ops", "mark-first").expect("said");
        assert_eq!(receipt.evidence, Evidence::Transcript, "{folder}: {receipt:?}");
        stage.shows("ops", "heard mark-first");
        stage.types("ops", agent.new_conversation().expect("asked of those that tell").0);
        wait_for("a fresh conversation", || (!stage.look("ops").contains("heard")).then_some(()));
        stage.types("ops", "mark-moved");
        stage.shows("ops", "heard mark-moved");
        let listed = stage.listed("ops").harness_session_id;
        assert_ne!(listed, first.harness_session_id, "{folder}");
        assert_eq!(stage.record("ops")["harnessSessionId"], listed.as_str(), "{folder}");
    }
}
