//! No route blocks the thread that serves: the core asserts that it is never called from one that must not block.

use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use standing::config::Service;
use testkit::TestHome;

use crate::app::{AUTHORITY, Answer, App, SESSIONS, THE_LOOP};

/// A service that runs on this test's thread alone, which may not block from now on.
struct OnOneThread {
    app: App,
    _must_not_block: standing::blocking::MustNotBlock,
}

impl OnOneThread {
    fn new() -> Self {
        let app = App::over(TestHome::builder().exe(THE_LOOP).build(), &Service::default());
        Self { app, _must_not_block: standing::blocking::forbid() }
    }

    async fn get(&self, path: &str) {
        answered(path, &self.app.get(path).await);
    }

    async fn post(&self, verb: &str, body: Value) {
        answered(verb, &self.app.post(&format!("{SESSIONS}/{verb}"), body.to_string()).await);
    }

    async fn form(&self, verb: &str, fields: &str) {
        let request = Request::post(format!("/app/standing/{verb}")).header("host", AUTHORITY);
        let request = request.header("content-type", "application/x-www-form-urlencoded").header("accept", "text/html");
        let request = request.body(Body::from(fields.to_owned())).expect("a request");
        answered(verb, &self.app.send(request).await);
    }

    async fn tool(&self, name: &str, arguments: Value) {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments },
        });
        let request = Request::post("/mcp").header("host", AUTHORITY).header("content-type", "application/json");
        let request = request.header("accept", "application/json, text/event-stream");
        let answer = self.app.send(request.body(Body::from(body.to_string())).expect("a request")).await;
        answered(name, &answer);
        assert!(answer.json()["error"].is_null(), "{name}: {}", answer.text());
    }
}

/// A panic in a handler is answered with a fault of the service.
#[track_caller]
fn answered(what: &str, answer: &Answer) {
    assert!(!answer.status.is_server_error(), "{what}: {} {}", answer.status, answer.text());
}

#[tokio::test]
async fn every_route_leaves_its_thread_free() {
    let service = OnOneThread::new();
    service.post("create", json!({ "name": "ops" })).await;
    service.get(SESSIONS).await;
    service.get(&format!("{SESSIONS}/one?name=ops")).await;
    service.get(&format!("{SESSIONS}/screen?name=ops")).await;
    service.get("/").await;
    service.get("/metrics").await;
    service.get("/health").await;
    service.get("/health/ready").await;
    service.get("/api/v1/openapi.json").await;
    service.post("say", json!({ "name": "ops", "text": "one" })).await;
    service.post("say", json!({ "name": "ops", "text": "two", "force": true })).await;
    service.post("answer", json!({ "name": "ops", "choice": "1" })).await;
    service.post("control", json!({ "name": "ops", "verb": "restart" })).await;
    service.form("say", "name=ops&text=three&key=k").await;
    service.form("stop", "name=ops").await;
    service.form("start", "all=true").await;
    service.form("create", "form[name]=more").await;
    service.tool("list_standing_sessions", json!({})).await;
    service.tool("get_standing_session", json!({ "name": "ops" })).await;
    service.tool("say_to_standing_session", json!({ "name": "ops", "text": "four" })).await;
    service.post("control", json!({ "verb": "stop", "all": true })).await;
    service.post("delete", json!({ "name": "ops" })).await;
    service.form("delete", "name=more").await;
}

#[tokio::test]
async fn the_guard_of_these_tests_notices_a_call_that_blocks() {
    let service = OnOneThread::new();
    let the_loop = std::panic::AssertUnwindSafe(|| service.app.home.the_loop().config());
    assert!(std::panic::catch_unwind(the_loop).is_err());
}
