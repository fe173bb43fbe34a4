//! Obstacles of a real agent: each is named within two seconds of its evidence, ends with the next answer, and no row
//! calls the session busy or idle meanwhile.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::{Activity, Block, Blocked, CreateRequest, Row};
use testkit::Failure;

use crate::{
    agent::Agent,
    stage::{Login, Stage, wait_for},
};

/// Time in which an obstacle must be named.
const SOON: Duration = Duration::from_secs(2);

/// Every failure of the vendor, one after the other, in one session.
pub(crate) fn named(agent: Agent) {
    every_failure(&Stage::new(agent), agent == Agent::Codex);
}

/// Every failure with a subscription, where a usage limit has an end.
pub(crate) fn named_to_a_subscriber(agent: Agent) {
    every_failure(&Stage::signed_in(agent, Login::Subscription), true);
}

fn every_failure(stage: &Stage, limit_has_end: bool) {
    stage.create("ops");
    let ends = jiff::Timestamp::now().as_second() + 3600;
    for (failure, kind) in [
        (Failure::Refused, Block::Refused),
        (Failure::NoCredit, Block::NoCredit),
        (Failure::TooLong, Block::ContextFull),
        (Failure::Overloaded, Block::Overloaded),
        (Failure::LoggedOut, Block::LoggedOut),
        (Failure::Limited { until: ends }, Block::Limited),
    ] {
        let until = Some(ends).filter(|_| limit_has_end && kind == Block::Limited);
        meets(stage, failure, kind, until);
        heals(stage, kind);
    }
    hangs(stage);
}

/// Meets a failure and waits until it is named.
fn meets(stage: &Stage, failure: Failure, kind: Block, until: Option<i64>) {
    let before = stage.model.asked().len();
    stage.model.fail(Some(failure));
    stage.say("ops", &format!("mark-{}", kind.as_str())).expect("said");
    wait_for("the vendor to be asked", || (stage.model.asked().len() > before).then_some(()));
    let row = wait_for(&format!("{kind:?}\n{}", stage.look("ops")), || {
        let row = stage.listed("ops");
        // The end of a limit is in the transcript, which may be written after the hook has run.
        let complete = |blocked: &Blocked| blocked.kind == kind && (until.is_none() || blocked.until.is_some());
        row.blocked.as_ref().is_some_and(complete).then_some(row)
    });
    let blocked = row.blocked.clone().expect("blocked");
    let since: jiff::Timestamp = blocked.since.parse().expect("a time");
    let named = jiff::Timestamp::now().duration_since(since);
    if !blocked.evidence.contains("screen") {
        // A time of a row is cut to its second. A screen does not say since when.
        assert!(named.as_secs() <= 1 + SOON.as_secs().cast_signed(), "{named:#} after {since}: {row:?}");
    }
    println!("{}: {kind:?} named {named:#} after {since}: {}", stage.agent.name(), blocked.evidence);
    is_not_calm(&row);
    if let Failure::Limited { .. } = failure {
        let until = until.and_then(|until| jiff::Timestamp::from_second(until).ok());
        assert_eq!(blocked.until.and_then(|at| at.parse().ok()), until, "right to the second");
    }
    // Every view says so, for as long as it lasts.
    let deadline = Instant::now() + SOON;
    while Instant::now() < deadline {
        for row in [stage.listed("ops"), stage.surveyed("ops"), stage.in_list("ops")] {
            is_not_calm(&row);
        }
    }
    let explained = stage.the_loop.standing().explain("ops").expect("explained");
    assert_eq!(explained.blocked.as_ref().map(|blocked| blocked.kind), Some(kind), "{explained:?}");
}

fn is_not_calm(row: &Row) {
    assert!(!matches!(row.activity, Activity::Busy | Activity::Idle), "{row:?}");
    assert!(row.blocked.is_some() || row.activity == Activity::Waiting, "{row:?}");
}

/// The vendor is well again: the next answer ends the obstacle.
fn heals(stage: &Stage, kind: Block) {
    stage.model.fail(None);
    let mark = format!("mark-well-{}", kind.as_str());
    // An agent that retries goes on with its turn, and one at a prompt waits for its answer.
    wait_for("an agent that takes a message", || {
        if stage.listed("ops").activity == Activity::Waiting {
            stage.presses("Escape", "ops");
        }
        stage.say("ops", &mark).ok()
    });
    wait_for(&format!("an end of {kind:?}\n{}", stage.look("ops")), || {
        let row = stage.listed("ops");
        (row.blocked.is_none() && row.activity == Activity::Idle).then_some(())
    });
}

/// A vendor that does not answer at all is told only by silence.
fn hangs(stage: &Stage) {
    stage.model.hold(true);
    stage.say("ops", "mark-hang").expect("said");
    wait_for("a turn", || (stage.listed("ops").activity == Activity::Busy).then_some(()));
    stage.home.reconfigure("/routing/stalledAfter", json!(1));
    let row = wait_for("a stalled session", || {
        let row = stage.listed("ops");
        row.blocked.as_ref().is_some_and(|blocked| blocked.kind == Block::Stalled).then_some(row)
    });
    is_not_calm(&row);
    stage.model.hold(false);
    wait_for("the answer", || (stage.listed("ops").activity == Activity::Idle).then_some(()));
}

/// Hooks tell of each turn, in a private file of the launch, and no file of the user has them.
pub(crate) fn hooks(agent: Agent) {
    let stage = Stage::new(agent);
    let own = stage.home.work().join("own.json");
    let heard = stage.home.work().join("heard");
    let hook = json!([{"hooks": [{"type": "command", "command": format!("cat >> {}", heard.display())}]}]);
    fs::write(&own, json!({"hooks": {"Stop": hook}}).to_string()).expect("written");
    let args = Some(vec!["--settings".to_owned(), own.display().to_string()]);
    let row = stage.create_with(&CreateRequest { harness_args: args, ..CreateRequest::named("ops") });
    assert!(!row.detail.unwrap_or_default().contains("hooks"), "nothing was wrong with them");
    let folder = stage.home.records().join(".hooks");
    let lines = || {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        files.map(|path| fs::read_to_string(path).expect("text")).collect::<String>()
    };
    wait_for("the end of the first turn", || lines().contains("\"Stop\"").then_some(()));
    wait_for("the operator's own hook", || heard.exists().then_some(()));
    let loop_id = stage.record("ops")["loopId"].as_str().expect("an id").to_owned();
    assert!(lines().contains(&loop_id) && lines().contains(&row.harness_session_id), "{}", lines());
    let explained = stage.the_loop.standing().explain("ops").expect("explained");
    assert!(explained.witnesses.iter().any(|witness| witness.source == wire::Source::Hook), "{explained:?}");
    let user = fs::read_to_string(stage.home.home().join(".claude/settings.json")).unwrap_or_default();
    assert!(!user.contains("hook "), "a file of the user has our hooks: {user}");
    stage.delete("ops");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "the files of the launch are gone");
}
