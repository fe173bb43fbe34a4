//! The REST interface in-process: shapes, statuses and error bodies, from the contract.

use axum::http::StatusCode;
use serde_json::json;

use crate::app::{App, SESSIONS, problem};

#[tokio::test]
async fn health_at_both_addresses() {
    let app = App::new();
    for path in ["/health", "/api/v1/health"] {
        let answer = app.get(path).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json(), json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }));
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn an_empty_list_is_an_empty_array() {
    let app = App::new();
    let answer = app.get(SESSIONS).await;
    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!([])));
    assert!(!app.home.records().exists(), "a read wrote something");
}

#[tokio::test]
async fn unknown_addresses_are_problems_and_never_pages() {
    let app = App::new();
    for path in ["/api", "/api/", "/api/v1", "/api/v2/x", "/api/v1/standing-sessions/", "/api/v1/standing-sessions/two"]
    {
        let answer = app.get(path).await;
        problem(&answer, 404, "no-route");
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_which_is_right() {
    let app = App::new();
    let posted = app.post(SESSIONS, "{}").await;
    problem(&posted, 405, "no-route");
    assert_eq!(posted.header("allow"), "GET,HEAD");
    let got = app.get(&format!("{SESSIONS}/create")).await;
    problem(&got, 405, "no-route");
    assert_eq!(got.header("allow"), "POST");
}

#[tokio::test]
async fn bodies_are_refused_with_the_place_of_the_mistake() {
    let app = App::new();
    let cases = [
        ("create", r#"{"name":"ops","nmae":"x"}"#, 422, "unknown field `nmae`"),
        ("create", r#"{"name":1}"#, 422, "`name`: invalid type: integer `1`"),
        ("create", r#"{"name":"ops","harnessArgs":["a",2]}"#, 422, "`harnessArgs[1]`"),
        ("create", r#"{"name":"ops","autoStart":"yes"}"#, 422, "`autoStart`"),
        ("create", "{}", 422, "missing field `name`"),
        ("create", r#"{"name":"ops","name":"ops"}"#, 422, "duplicate field `name`"),
        ("create", r#"["ops"]"#, 422, "must be a JSON object"),
        ("create", "null", 422, "must be a JSON object"),
        ("create", "", 400, "not JSON"),
        ("create", "{", 400, "not JSON"),
        ("create", "[", 400, "not JSON"),
        ("create", r#"{"name":"ops"} x"#, 400, "not JSON"),
        ("delete", r#"{"name":"ops","force":true}"#, 422, "unknown field `force`"),
        ("control", r#"{"name":"ops"}"#, 422, "missing field `verb`"),
        ("control", r#"{"name":"ops","verb":1}"#, 422, "`verb`"),
        ("control", r#"{"name":"ops","verb":"kill"}"#, 400, "`start`, `stop` or `restart`"),
        ("say", r#"{"name":"ops"}"#, 422, "missing field `text`"),
        ("say", r#"{"name":"ops","text":"t","txet":""}"#, 422, "unknown field `txet`"),
    ];
    for (verb, body, status, part) in cases {
        let answer = app.post(&format!("{SESSIONS}/{verb}"), body).await;
        assert_eq!(answer.status.as_u16(), status, "{verb} {body}: {}", answer.text());
        let detail = answer.json()["detail"].as_str().expect("a detail").to_owned();
        assert!(detail.contains(part), "{verb} {body}: {detail}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_malformed() {
    let app = App::new();
    let answer = app.post(&format!("{SESSIONS}/delete"), b"{\"name\":\"\xff\"}".as_slice()).await;
    problem(&answer, 400, "invalid-body");
    let deep = "[".repeat(100_000);
    problem(&app.post(&format!("{SESSIONS}/delete"), deep).await, 400, "invalid-body");
}

#[tokio::test]
async fn only_json_is_taken() {
    let app = App::new();
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonx")] {
        let answer = app.post_as(&format!("{SESSIONS}/delete"), kind, r#"{"name":"ops"}"#).await;
        problem(&answer, 415, "invalid-body");
    }
    let path = format!("{SESSIONS}/delete");
    let answer = app.post_as(&path, Some("Application/JSON; charset=utf-8"), r#"{"name":"ops"}"#).await;
    problem(&answer, 404, "unknown-session");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let app = App::new();
    let body = json!({ "name": "ops", "text": "x".repeat(server::rest::MAX_BODY_BYTES) }).to_string();
    problem(&app.post(&format!("{SESSIONS}/say"), body.clone()).await, 413, "too-large");
    problem(&app.post_in_chunks(&format!("{SESSIONS}/say"), body).await, 413, "too-large");
}

#[tokio::test]
async fn queries_are_refused_as_problems() {
    let app = App::new();
    for query in ["", "?", "?nmae=ops", "?name=a&name=b", "?name=ops&x=1"] {
        problem(&app.get(&format!("{SESSIONS}/one{query}")).await, 422, "invalid-body");
    }
    problem(&app.get(&format!("{SESSIONS}/one?name=")).await, 400, "invalid-name");
    problem(&app.get(&format!("{SESSIONS}/one?name=No")).await, 400, "invalid-name");
    problem(&app.get(&format!("{SESSIONS}/one?name=ops")).await, 404, "unknown-session");
    for lines in ["x", "501", "-1"] {
        problem(&app.get(&format!("{SESSIONS}/screen?name=ops&lines={lines}")).await, 422, "invalid-body");
    }
    problem(&app.get(&format!("{SESSIONS}/screen?name=ops&lines=500")).await, 404, "unknown-session");
}

#[tokio::test]
async fn an_idempotency_key_must_be_one_and_short() {
    let app = App::new();
    let say = format!("{SESSIONS}/say");
    let long = "k".repeat(201);
    for (header, body) in [
        (long.as_str(), r#"{"name":"ops","text":"t"}"#),
        ("a", r#"{"name":"ops","text":"t","idempotencyKey":"b"}"#),
        ("é", r#"{"name":"ops","text":"t"}"#),
    ] {
        problem(&app.post_with(&say, "idempotency-key", header, body).await, 400, "invalid-request");
    }
}

#[tokio::test]
async fn each_answer_has_a_request_id_and_problems_repeat_it() {
    let app = App::new();
    let answer = app.get(&format!("{SESSIONS}/one?name=ops")).await;
    let id = answer.header("x-request-id").to_owned();
    assert_eq!(id.len(), 36, "{id}");
    assert_eq!(answer.json()["instance"], id);
    let own = app.get_with("/api/v1/health", "x-request-id", "mine-1").await;
    assert_eq!(own.header("x-request-id"), "mine-1");
    let odd = app.get_with("/api/v1/health", "x-request-id", "not a word").await;
    assert_eq!(odd.header("x-request-id").len(), 36);
}

#[tokio::test]
async fn a_caller_that_takes_no_json_is_told() {
    let app = App::new();
    problem(&app.get_with(SESSIONS, "accept", "text/html").await, 406, "invalid-request");
    for accepted in ["*/*", "text/html, application/json;q=0.1"] {
        assert_eq!(app.get_with(SESSIONS, "accept", accepted).await.status, StatusCode::OK, "{accepted}");
    }
}

#[tokio::test]
async fn strange_text_is_refused_where_it_stands() {
    let app = App::new();
    let long = "a".repeat(60_000);
    for name in ["%00", "ops%00", "ops%0A", "%FF", "%F0%9F%94%81", "..%2F..%2Fetc", "a%20b", long.as_str()] {
        let answer = app.get(&format!("{SESSIONS}/one?name={name}")).await;
        assert!(matches!(answer.status.as_u16(), 400 | 422), "{name}: {}", answer.text());
    }
    let odd = json!({ "name": "ops\u{0}", "text": "\u{0}\u{1b}\u{202e}\u{fdd0}" }).to_string();
    problem(&app.post(&format!("{SESSIONS}/say"), odd).await, 400, "invalid-name");
    let lone = r#"{"name":"ops","text":"\ud800"}"#;
    problem(&app.post(&format!("{SESSIONS}/say"), lone).await, 400, "invalid-body");
    let nested = format!(r#"{{"name":"ops","text":{}1{}}}"#, "{\"a\":".repeat(500), "}".repeat(500));
    problem(&app.post(&format!("{SESSIONS}/say"), nested).await, 422, "invalid-body");
}
