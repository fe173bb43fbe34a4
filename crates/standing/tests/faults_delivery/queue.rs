//! A message that the agent has only queued is told to be queued, followed until it is a turn, and never lost by a stop.

use standing::{ControlRequest, ControlVerb, DeleteRequest, Outcome, Row, SayRequest, TheLoop};
use testkit::{TestHome, wait_for};
use wire::{Evidence, SayReceipt, Verdict};

use crate::stage::{begin, control, faulty, framed, home, kept, message, said, say, shows, transcript};

/// A time that no test outlives, in milliseconds.
const FOREVER: u32 = 3_600_000;

const QUEUED: (bool, Verdict, Evidence) = (true, Verdict::Queued, Evidence::Queue);

fn rests_on(receipt: &SayReceipt) -> (bool, Verdict, Evidence) {
    (receipt.delivered, receipt.verdict, receipt.evidence)
}

fn get(the_loop: &TheLoop, name: &str) -> Row {
    the_loop.standing().get(name).expect("a row")
}

fn last(home: &TestHome, event: &str) -> serde_json::Value {
    home.events().into_iter().rfind(|line| line["event"] == event).unwrap_or_default()
}

/// An agent at work on its brief, which takes that long, with a queue that is lost with its process.
fn at_work(home: &TestHome, the_loop: &TheLoop, milliseconds: u32) -> Row {
    let busy = format!("busy={milliseconds}");
    let row = begin(the_loop, &faulty("ops", &[&busy, "queue"]));
    shows(home, "ops", "working…");
    row
}

#[test]
fn a_message_to_an_agent_at_work_is_queued_and_becomes_a_turn_of_its_own() {
    let home = home();
    let the_loop = home.the_loop();
    let row = at_work(&home, &the_loop, 6000);
    let request = SayRequest { idempotency_key: "key-1".to_owned(), ..message("ops", "one") };
    let receipt = the_loop.standing().say(&request).expect("a receipt");
    assert_eq!(rests_on(&receipt), QUEUED, "{receipt:?}");
    assert_eq!(get(&the_loop, "ops").queued, 1);
    wait_for("the turn to be taken up", || (get(&the_loop, "ops").queued == 0).then_some(()));
    let again = the_loop.standing().say(&request).expect("a receipt");
    assert_eq!(rests_on(&again), (true, Verdict::Submitted, Evidence::Transcript));
    assert_eq!(again.message_id, receipt.message_id);
    assert_eq!(said(&home, &row), [framed("ops", "one")]);
    assert_eq!(last(&home, "standing.taken_up")["message_id"], receipt.message_id.as_str());
    let entry = kept(&the_loop, "ops").remove(0);
    assert_eq!(
        (entry.text.as_deref(), entry.verdict, entry.evidence),
        (Some("one"), Some(Verdict::Submitted), Some(Evidence::Transcript))
    );
}

#[test]
fn a_stop_names_the_turn_and_the_messages_it_cuts_off_and_the_next_start_gives_them_again() {
    let home = home();
    let the_loop = home.the_loop();
    let row = at_work(&home, &the_loop, FOREVER);
    for text in ["one", "two"] {
        assert_eq!(rests_on(&say(&the_loop, "ops", text)), QUEUED);
    }
    let stopped = control(&the_loop, "ops", ControlVerb::Stop);
    let detail = stopped.detail.clone().unwrap_or_default();
    assert_eq!(stopped.outcome, Some(Outcome::Stopped));
    assert!(detail.contains("in the middle of a turn"), "{detail}");
    assert!(detail.contains("2 queued message(s) are kept"), "{detail}");
    let event = last(&home, "standing.stopped");
    assert_eq!((event["cut_off"].as_str(), event["untaken_messages"].as_u64()), (Some("turn"), Some(2)), "{event}");
    assert!(said(&home, &row).is_empty(), "neither was a turn");
    assert_eq!(get(&the_loop, "ops").queued, 2);

    let started = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!(started.outcome, Some(Outcome::Resumed));
    assert!(started.detail.as_deref().unwrap_or_default().contains("2 queued message(s)"), "{started:?}");
    // The first is a turn at once; it takes for ever, so that the second waits in the new queue.
    let turns = said(&home, &row);
    assert_eq!(turns, [framed("ops", "one")]);
    let queued = transcript(&home, &row).into_iter().filter(|(kind, _)| kind == "queued").count();
    assert_eq!((queued, get(&the_loop, "ops").queued), (3, 1), "each was typed once into each process");
    // What runs is not given them a second time.
    assert_eq!(control(&the_loop, "ops", ControlVerb::Start).outcome, Some(Outcome::AlreadyRunning));
    assert_eq!(said(&home, &row).len(), 1);
}

#[test]
fn a_restart_names_what_its_stop_cut_off() {
    let home = home();
    let the_loop = home.the_loop();
    at_work(&home, &the_loop, FOREVER);
    say(&the_loop, "ops", "one");
    let request = ControlRequest { name: "ops".to_owned(), verb: ControlVerb::Restart };
    let report = the_loop.standing().control(&request).expect("a report");
    let stopped = report.stopped.expect("the stop half").remove(0).detail.unwrap_or_default();
    assert!(stopped.contains("in the middle of a turn") && stopped.contains("1 queued message(s)"), "{stopped}");
    let started = report.sessions[0].detail.clone().unwrap_or_default();
    assert!(started.contains("sent again"), "{started}");
}

#[test]
fn a_stop_names_the_prompt_it_cuts_off() {
    let home = home();
    let the_loop = home.the_loop();
    begin(&the_loop, &faulty("ops", &["dialog=Trust the files in this folder?"]));
    let detail = control(&the_loop, "ops", ControlVerb::Stop).detail.unwrap_or_default();
    assert!(detail.contains("waiting for an answer to its prompt: Trust the files in this folder?"), "{detail}");
    let event = last(&home, "standing.stopped");
    assert_eq!(event["cut_off"], "prompt");
    assert!(!event.to_string().contains("Trust the files"), "a prompt may quote anything: {event}");
}

#[test]
fn a_message_that_stood_unsent_in_the_box_is_kept_for_the_next_start() {
    let home = home();
    let the_loop = home.the_loop();
    let held = format!("quiet={FOREVER}");
    let row = begin(&the_loop, &faulty("ops", &[&held]));
    assert_eq!(say(&the_loop, "ops", "MESSAGE-A").verdict, Verdict::Unconfirmed);
    let detail = control(&the_loop, "ops", ControlVerb::Stop).detail.unwrap_or_default();
    assert!(detail.contains("1 queued message(s) are kept"), "{detail}");
    assert!(said(&home, &row).is_empty());
    assert_eq!(get(&the_loop, "ops").queued, 1);
}

#[test]
fn a_delete_forgets_the_messages() {
    let home = home();
    let the_loop = home.the_loop();
    at_work(&home, &the_loop, FOREVER);
    say(&the_loop, "ops", "a secret plan");
    let file = home.records().join(".launch/ops.queued.json");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).expect("kept").permissions());
    assert_eq!(mode & 0o777, 0o600);
    the_loop.standing().delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
    assert!(!file.exists());
}
