//! A session resumes its own conversation: not the newest in its directory, not another project's, and not one that is
//! gone.

use std::fs;

use standing::{ControlVerb, CreateRequest, Outcome};

use crate::{
    agent::Agent,
    stage::{Stage, wait_for},
};

/// Two sessions in one directory and one elsewhere, each told its own word; the oldest goes on.
pub(crate) fn resume(agent: Agent) {
    let stage = Stage::new(agent);
    let elsewhere = stage.repository("elsewhere").display().to_string();
    let requests = [
        CreateRequest::named("ops"),
        CreateRequest::named("ops-2"),
        CreateRequest { cwd: elsewhere, ..CreateRequest::named("far") },
    ];
    let mut conversations = Vec::new();
    for request in requests {
        let name = request.name.clone();
        conversations.push(stage.create_with(&request).harness_session_id);
        stage.say(&name, &format!("mark-of-{name}")).expect("said");
        stage.shows(&name, &format!("heard mark-of-{name}"));
    }
    for name in ["ops", "ops-2", "far"] {
        stage.control(name, ControlVerb::Stop);
    }
    for (name, conversation) in ["ops", "ops-2", "far"].into_iter().zip(&conversations) {
        let row = stage.control(name, ControlVerb::Start);
        assert_eq!((row.outcome, &row.harness_session_id), (Some(Outcome::Resumed), conversation), "{row:?}");
        stage.shows(name, &format!("heard mark-of-{name}"));
        stage.say(name, "mark-again").expect("said");
        stage.shows(name, &format!("heard mark-of-{name}, mark-again"));
    }
    assert_eq!(conversations.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
}

/// The conversation's file is lost while the session is stopped.
pub(crate) fn gone(agent: Agent) {
    let stage = Stage::new(agent);
    let conversation = stage.create("ops").harness_session_id;
    stage.control("ops", ControlVerb::Stop);
    for transcript in stage.transcripts(&conversation) {
        fs::remove_file(transcript).expect("removed");
    }
    forget_elsewhere(&stage, agent);
    let row = stage.control("ops", ControlVerb::Start);
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert!(!row.harness_session_id.is_empty() && row.harness_session_id != conversation, "{row:?}");
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains(&conversation)), "{row:?}");
    let failed = stage.event("standing.resume_failed").expect("told");
    assert_eq!(failed["harness_session_id"], conversation.as_str());
    println!("{}: a conversation that is gone: {}", agent.name(), failed["error"]);
    stage.shows("ops", "heard nothing");
    let record = stage.record("ops");
    assert_eq!(record["formerSessionIds"], serde_json::json!([conversation]), "only one attempt was ever recorded");
    assert_eq!(stage.home.tmux().sessions(), ["loop-standing-ops"]);
}

/// Codex keeps what it knows of its conversations in databases as well.
fn forget_elsewhere(stage: &Stage, agent: Agent) {
    if agent != Agent::Codex {
        return;
    }
    for entry in fs::read_dir(stage.home.home().join(".codex")).expect("a folder").flatten() {
        if entry.file_name().to_string_lossy().contains(".sqlite") {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
}

/// A person starts a new conversation in the agent. The session resumes that one.
pub(crate) fn moved(agent: Agent) {
    let stage = Stage::new(agent);
    let first = stage.create("ops").harness_session_id;
    let (command, question) = agent.new_conversation().expect("asked of those that tell");
    stage.types("ops", command);
    if let Some(question) = question {
        stage.shows("ops", question);
        stage.presses_enter("ops");
    }
    wait_for("a fresh conversation", || (!stage.look("ops").contains("heard nothing")).then_some(()));
    stage.say("ops", "mark-moved").expect("said");
    stage.shows("ops", "heard mark-moved");
    let stopped = stage.control("ops", ControlVerb::Stop);
    let second = stopped.harness_session_id;
    assert_ne!(second, first);
    assert_eq!(stage.record("ops")["formerSessionIds"], serde_json::json!([first]));
    let row = stage.control("ops", ControlVerb::Start);
    assert_eq!((row.outcome, row.harness_session_id), (Some(Outcome::Resumed), second));
    stage.shows("ops", "heard mark-moved");
}
