//! `start`, `stop`, `restart` and `status`: the reports, and that the order and the config are kept to.

use std::fs;

use serde_json::{Value, json};
use testkit::{TestHome, TestHomeBuilder, assert_nothing_spawned};

use super::Home;
use crate::app::THE_LOOP;

fn builder() -> TestHomeBuilder {
    TestHome::builder().exe(THE_LOOP)
}

fn outcomes(report: &Value) -> Vec<(String, String)> {
    let rows = |half: &str, name: &str| -> Vec<(String, String)> {
        let rows = report[half].as_array().expect("rows").iter();
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        rows.map(|row| (text(&row[name]), text(&row["outcome"]))).collect()
    };
    [rows("services", "service"), rows("standingSessions", "name")].concat()
}

#[track_caller]
fn told(report: &Value, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(outcomes(report), expected, "{report:#}");
}

#[test]
fn the_whole_cycle() {
    let home = builder().declare(json!({ "name": "by-hand", "autoStart": false })).declare(json!({ "name": "ops" }));
    let home = Home::of(home.build());
    let (status, code) = home.report(&["status"]);
    assert_eq!((code, &status["ok"], &status["services"][0]["running"]), (1, &json!(false), &json!(false)));

    let report = home.start();
    told(&report, &[("service", "started"), ("ops", "started")]);
    let (pid, url) = (report["services"][0]["pid"].clone(), report["services"][0]["url"].clone());
    assert_eq!(pid, home.pid());
    assert_eq!(home.http().get("/api/v1/health").status, 200, "{url}");

    let (status, code) = home.report(&["status"]);
    let service = &status["services"][0];
    assert_eq!(
        (code, &status["ok"], &service["running"], &service["healthy"]),
        (0, &json!(true), &json!(true), &json!(true))
    );
    assert_eq!((&service["pid"], &service["url"], &service["enabled"]), (&pid, &url, &json!(true)));
    assert_eq!(status["standingSessions"].as_array().map(Vec::len), Some(2));

    // Once more: nothing is done.
    let again = assert_nothing_spawned(&home.home, || home.start());
    told(&again, &[("service", "already-running"), ("ops", "already-running")]);
    assert_eq!((&again["services"][0]["pid"], &again["services"][0]["url"]), (&pid, &url));

    let text = home.run(&["status"]);
    assert!(text.out.contains(&format!("(pid {pid})")) && text.out.contains("Auto-start"), "{}", text.out);

    home.run(&["standing", "stop", "ops"]);
    assert_eq!(home.report(&["status"]).1, 1, "one that starts by itself does not run");
    home.run(&["standing", "start", "by-hand"]);
    let (report, code) = home.report(&["stop"]);
    told(&report, &[("service", "stopped"), ("by-hand", "stopped"), ("ops", "not-running")]);
    assert_eq!((code, home.home.tmux().sessions()), (0, Vec::<String>::new()));
    let (report, code) = home.report(&["stop"]);
    told(&report, &[("service", "not-running"), ("by-hand", "not-running"), ("ops", "not-running")]);
    assert_eq!(code, 0);
}

#[test]
fn sessions_are_stopped_before_the_service_and_started_after_it() {
    let home = Home::of(builder().declare(json!({ "name": "ops" })).build());
    home.start();
    assert_eq!(home.report(&["stop"]).1, 0);
    let events = home.home.events();
    let order: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(order, ["service.started", "standing.started", "standing.stopped", "service.stopped"]);
}

#[test]
fn each_half_can_be_had_alone() {
    let home = Home::of(builder().declare(json!({ "name": "ops" })).build());
    told(&home.report(&["start", "--sessions-only"]).0, &[("ops", "started")]);
    told(&home.report(&["start", "--service-only", "--port", "0"]).0, &[("service", "started")]);
    let harness = home.report(&["status"]).0["standingSessions"][0]["pid"].clone();
    told(&home.report(&["stop", "--service-only"]).0, &[("service", "stopped")]);
    told(&home.report(&["start", "--service-only", "--port", "0"]).0, &[("service", "started")]);
    let before = home.pid();
    let (report, code) = home.report(&["restart", "--service-only", "--port", "0"]);
    told(&report, &[("service", "started")]);
    told(&report["stopped"], &[("service", "stopped")]);
    assert_eq!(code, 0);
    assert_ne!(home.pid(), before);
    assert_eq!(home.report(&["status"]).0["standingSessions"][0]["pid"], harness, "the session did not notice");
    told(&home.report(&["stop", "--sessions-only"]).0, &[("ops", "stopped")]);
    assert_eq!(home.run(&["start", "--service-only", "--sessions-only"]).code, 2);
}

#[test]
fn a_restart_brings_back_what_ran() {
    let home = builder().declare(json!({ "name": "by-hand", "autoStart": false })).declare(json!({ "name": "ops" }));
    let home = Home::of(home.build());
    home.start();
    home.run(&["standing", "create", "made", "--no-auto-start"]);
    home.run(&["standing", "create", "idle", "--no-auto-start", "--no-start"]);
    home.run(&["standing", "start", "by-hand"]);
    let (report, code) = home.report(&["restart", "--port", "0"]);
    assert_eq!((code, &report["ok"]), (0, &json!(true)), "{report:#}");
    told(&report, &[("service", "started"), ("by-hand", "resumed"), ("made", "resumed"), ("ops", "resumed")]);
    let stopped = [
        ("service", "stopped"),
        ("by-hand", "stopped"),
        ("idle", "not-running"),
        ("made", "stopped"),
        ("ops", "stopped"),
    ];
    told(&report["stopped"], &stopped);
    let text = home.run(&["restart", "--port", "0"]);
    assert!(text.out.starts_with("stopping\nservice  stopped"), "{}", text.out);
    assert!(text.out.contains("\nstarting\nservice  started"), "{}", text.out);
    home.run(&["stop"]);
}

#[test]
fn a_config_that_cannot_be_used_is_one_row_and_stop_works() {
    let home = Home::of(builder().declare(json!({ "name": "ops" })).build());
    let good = fs::read_to_string(home.home.config_file()).expect("a config");
    home.start();
    // The state and the tmux server are still told.
    home.home.write_config(&good.replace("\"name\": \"ops\"", "\"name\": \"Not A Name\""));
    for verb in ["start", "status"] {
        let (report, code) = home.report(&[verb]);
        let row = &report["standingSessions"][0];
        assert_eq!((code, &report["ok"], &row["outcome"]), (2, &json!(false), &json!("misconfigured")), "{report:#}");
        assert_eq!((&row["name"], &row["running"]), (&json!("standingSessions"), &json!(false)));
        assert!(row["detail"].as_str().expect("text").contains("standingSessions.sessions[0].name"), "{row:#}");
        assert_eq!(report["services"][0]["running"], true);
    }
    // What could not come up again is not taken down.
    for args in [&["restart"][..], &["restart", "--service-only"]] {
        let refused = home.run(args);
        assert!(refused.code == 2 && refused.err.contains("nothing was stopped"), "{args:?}: {refused:#?}");
        assert!(refused.err.contains("standingSessions.sessions[0].name"), "{}", refused.err);
    }
    let (report, code) = home.report(&["stop"]);
    told(&report, &[("service", "stopped"), ("ops", "stopped")]);
    assert_eq!(code, 0);
    let (report, code) = home.report(&["start", "--port", "0"]);
    told(&report, &[("service", "failed"), ("standingSessions", "misconfigured")]);
    assert_eq!(code, 2);
    assert!(home.run(&["start"]).err.contains("standingSessions  misconfigured"));
}

#[test]
fn a_service_that_is_not_to_be_started_is_not() {
    let home = Home::of(builder().declare(json!({ "name": "ops" })).build());
    for (key, asked_for) in [("/service/enabled", 1), ("/service/autoStart", 0)] {
        home.home.reconfigure(key, json!(false));
        let (report, code) = home.report(&["start", "--port", "0"]);
        assert_eq!((code, &report["services"][0]["outcome"]), (0, &json!("disabled")), "{report:#}");
        assert!(report["services"][0]["detail"].as_str().expect("text").contains(&key[1..].replace('/', ".")));
        assert_eq!(home.report(&["status"]).1, 0, "it is not missed");
        // Asked for by name, it starts unless the config forbids it.
        assert_eq!(home.run(&["start", "--service-only", "--port", "0"]).code, asked_for, "{key}");
        home.run(&["stop"]);
        home.home.reconfigure(key, json!(true));
    }
}

#[test]
fn a_disabled_block_is_told_of() {
    let home =
        Home::of(builder().declare(json!({ "name": "ops" })).set("/standingSessions/enabled", json!(false)).build());
    home.run(&["standing", "create", "made", "--no-start"]);
    let report = home.start();
    told(&report, &[("service", "started"), ("made", "started"), ("ops", "not-running")]);
    let detail = report["standingSessions"][1]["detail"].as_str().expect("text");
    assert!(detail.contains("standingSessions.enabled"), "{detail}");
    home.run(&["stop"]);
}
