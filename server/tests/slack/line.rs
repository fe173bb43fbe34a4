//! The command line: announcements without a service, and the status of the Slack connection.

use std::process::Output;

use serde_json::{Value, json};
use testkit::{Fault, wait_for};

use crate::stage::{Stage, THE_LOOP};

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn without_a_service_the_command_announces_and_lets_go() {
    let stage = Stage::new();
    let created = stage.the_loop(&["standing", "create", "ops", "--slack", "--slack-channel", "#ops"]);
    assert_eq!(said(&created).0, 0, "{created:?}");
    let thread = stage.thread("ops");
    assert_eq!(stage.slack.posted().len(), 1);
    assert_eq!(stage.kept("slack.json")["threads"][&thread]["workItem"], "standing:ops");
    for verb in ["stop", "start", "restart"] {
        assert_eq!(said(&stage.the_loop(&["standing", verb, "ops"])).0, 0, "{verb}");
    }
    assert_eq!((stage.slack.posted().len(), stage.thread("ops")), (1, thread.clone()), "announced once");
    let listed = said(&stage.the_loop(&["standing", "list"])).1;
    assert!(listed.contains(&thread), "{listed}");
    assert_eq!(said(&stage.the_loop(&["standing", "delete", "ops"])).0, 0);
    assert!(stage.slack.said_in(&thread)[0].contains("was deleted"));
    assert_eq!(stage.kept("slack.json")["threads"], json!({}));
}

#[test]
fn a_start_of_everything_without_the_service_announces_too() {
    let stage = Stage::declaring(&["ops"]);
    let started = said(&stage.the_loop(&["start", "--sessions-only"]));
    assert_eq!((started.0, started.2.as_str()), (0, ""), "{}", started.1);
    let thread = stage.thread("ops");
    let again = said(&stage.the_loop(&["restart", "--sessions-only"]));
    assert_eq!((again.0, again.2.as_str()), (0, ""), "{}", again.1);
    assert_eq!((stage.slack.posted().len(), stage.thread("ops")), (1, thread));
    assert_eq!(said(&stage.the_loop(&["stop", "--sessions-only"])).0, 0);
}

#[test]
fn a_created_session_without_a_channel_is_told_of() {
    let stage = Stage::of(Stage::builder().set("/channels/slack/channel", json!("")));
    let created = said(&stage.the_loop(&["standing", "create", "ops", "--slack"]));
    assert_eq!((created.0, created.1.as_str()), (0, "ops  started\n"));
    assert!(created.2.contains("no channel") && created.2.contains("channels.slack.channel"), "{}", created.2);
    assert_eq!(stage.events("standing.announce_failed").len(), 1);
}

#[test]
fn with_a_service_the_command_leaves_it_to_that() {
    let stage = Stage::new();
    let _service = stage.hearing();
    // No token in the command's own environment.
    let mut command = stage.home.command(THE_LOOP);
    let created = command.args(["standing", "create", "ops", "--slack"]).output().expect("the binary runs");
    assert_eq!(said(&created), (0, "ops  started\n".to_owned(), String::new()));
    let thread = stage.thread("ops");
    assert_eq!(stage.event("standing.announced", "thread", &thread)["source"], "channels");
    let deleted = stage.home.command(THE_LOOP).args(["standing", "delete", "ops"]).output().expect("it runs");
    assert_eq!(said(&deleted).0, 0);
    stage.told(&thread, "was deleted");
    assert_eq!(stage.slack.posted().len(), 1);
}

#[test]
fn a_failing_slack_keeps_no_session_from_starting() {
    let stage = Stage::new();
    stage.slack.fail("chat.postMessage", [Fault::Refused("not_in_channel")]);
    let created = said(&stage.the_loop(&["standing", "create", "ops", "--slack"]));
    assert_eq!((created.0, created.1.as_str()), (0, "ops  started\n"));
    assert!(created.2.contains("could not announce `ops` in Slack") && created.2.contains("/invite"), "{}", created.2);
    let failed = stage.events("standing.announce_failed");
    assert_eq!((failed.len(), &failed[0]["standing"]), (1, &json!("ops")), "{failed:#?}");
    // No token at all.
    let again = stage.home.command(THE_LOOP).args(["standing", "restart", "ops"]).output().expect("it runs");
    let again = said(&again);
    assert_eq!(again.0, 0);
    assert!(again.2.contains("`THE_LOOP_SLACK_BOT_TOKEN` does not contain a bot token"), "{}", again.2);
    assert_eq!(stage.events("standing.announce_failed").len(), 2);
    // A record without a thread is announced by the next one who can.
    let _service = stage.hearing();
    stage.thread("ops");
    assert_eq!(stage.slack.posted().len(), 1);
}

#[test]
fn status_tells_whether_it_hears() {
    let stage = Stage::new();
    let (code, out, _) = said(&stage.the_loop(&["channels", "status"]));
    assert!(code == 1 && out.contains("the service is not running"), "{out}");
    let mut service = stage.hearing();
    let (code, out, _) = said(&stage.the_loop(&["channels", "status"]));
    assert!(code == 0 && out.contains("yes, since 20") && out.contains("the-loop in Stub"), "{out}");
    assert_eq!(said(&stage.the_loop(&["standing", "create", "ops", "--slack"])).0, 0);
    let thread = stage.thread("ops");
    let json = wait_for("an event and a thread in the status", || {
        let (_, out, _) = said(&stage.the_loop(&["channels", "status", "--format", "json"]));
        let report: Value = serde_json::from_str(&out).expect("one document");
        let listener = &report["listener"];
        (listener["threads"] == 1 && listener["lastEventAt"] != "").then_some(report)
    });
    assert_eq!((&json["hears"], &json["mode"], &json["authorizedUsers"]), (&json!(true), &json!("socket"), &json!(2)));
    service.stop();
    let (code, out, _) = said(&stage.the_loop(&["channels", "status"]));
    assert!(code == 1 && out.contains("the service is not running"), "{out}");
    assert!(!thread.is_empty());
    stage.home.reconfigure("/channels/slack/enabled", json!(false));
    let (code, out, _) = said(&stage.the_loop(&["channels", "status"]));
    assert_eq!((code, out.as_str()), (0, "slack       off\n"));
}

#[test]
fn test_makes_a_real_round_trip() {
    let stage = Stage::new();
    let trip = |way: &str| {
        let (code, out, err) = said(&stage.the_loop(&["channels", "test"]));
        assert!(code == 0 && out.contains("posted to C0OPS") && out.contains(way), "{out}{err}");
    };
    trip("over a socket opened by this command");
    let service = stage.hearing();
    trip("over the service's socket");
    assert_eq!(stage.slack.sockets(), (1, 2), "the command opens none beside the service's");
    drop(service);
    stage.home.reconfigure("/channels/slack/read/mode", json!("poll"));
    trip("by polling its thread");
    assert_eq!(stage.slack.posted().len(), 3);

    stage.slack.fail("chat.postMessage", [Fault::Refused("channel_not_found")]);
    let (code, _, err) = said(&stage.the_loop(&["channels", "test"]));
    assert!(code == 1 && err.contains("channel not found"), "{err}");
    stage.home.reconfigure("/channels/slack/channel", json!(""));
    let (code, _, err) = said(&stage.the_loop(&["channels", "test"]));
    assert!(code == 1 && err.contains("channels.slack.channel"), "{err}");
}
