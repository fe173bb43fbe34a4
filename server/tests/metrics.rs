//! Endpoints for monitoring: metrics and readiness.

use axum::http::StatusCode;
use serde_json::json;
use testkit::{TestHome, TestService};

use crate::app::{App, SESSIONS, THE_LOOP};

/// The value of a line, by its name and labels.
fn value(page: &str, line: &str) -> f64 {
    let found = page.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("no {line} in {page}")).parse().expect("a number")
}

#[test]
fn what_was_done_is_counted_and_nobody_is_named() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    let post = |verb: &str, body| http.post(&format!("{SESSIONS}/{verb}"), &body).status;
    assert_eq!(post("create", json!({ "name": "secretive" })), 200);
    assert_eq!(post("say", json!({ "name": "secretive", "text": "hello" })), 200);
    assert_eq!(post("say", json!({ "name": "nobody", "text": "hello" })), 404);
    assert_eq!(post("control", json!({ "name": "secretive", "verb": "stop" })), 200);
    let answer = http.get("/metrics");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let page = answer.body;
    for (line, expected) in [
        ("the_loop_config_valid", 1.0),
        ("the_loop_sessions{state=\"stopped\"}", 1.0),
        ("the_loop_sessions{state=\"running\"}", 0.0),
        ("the_loop_needs{kind=\"prompt\"}", 0.0),
        ("the_loop_verbs_total{verb=\"create\",outcome=\"started\"}", 1.0),
        ("the_loop_verbs_total{verb=\"say\",outcome=\"submitted\"}", 1.0),
        ("the_loop_verbs_total{verb=\"say\",outcome=\"unknown-session\"}", 1.0),
        ("the_loop_verbs_total{verb=\"stop\",outcome=\"stopped\"}", 1.0),
        ("the_loop_say_seconds_count", 2.0),
        ("the_loop_say_seconds_bucket{le=\"+Inf\"}", 2.0),
        ("the_loop_tmux_silences_total", 0.0),
        ("the_loop_event_log_errors_total", 0.0),
        ("the_loop_streams", 0.0),
        ("the_loop_streams_limit", 8.0),
    ] {
        assert!((value(&page, line) - expected).abs() < f64::EPSILON, "{line} is not {expected} in {page}");
    }
    assert!(value(&page, "the_loop_tmux_call_seconds_count") > 0.0);
    assert!(!page.contains("secretive"), "{page}");
}

#[tokio::test]
async fn readiness_is_told_with_what_is_in_the_way() {
    let app = App::new();
    let answer = app.get("/health/ready").await;
    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({ "ready": true })));
    app.home.write_config("standingSessions: nonsense\n");
    let answer = app.get("/health/ready").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!((answer.json()["ready"].clone(), answer.json()["code"].clone()), (json!(false), json!("misconfigured")));
    assert_eq!(app.get("/health").await.status, StatusCode::OK, "it is up all the same");
}
