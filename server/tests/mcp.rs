//! `/mcp`, asked by the official SDK's client and by hand.

use std::process::Command;

use axum::{body::Body, http::Request};
use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, CallToolResult, Implementation},
    service::RunningService,
    transport::StreamableHttpClientTransport,
};
use serde_json::{Value, json};
use standing::config::Service;
use testkit::{Http, TestHome, TestService, assert_nothing_spawned};

use crate::{
    app::{AUTHORITY, App, SESSIONS, THE_LOOP, problem},
    openapi::assert_current,
};

const MCP: &str = "/mcp";

type Agent = RunningService<RoleClient, ()>;

/// A client over the service's Unix socket.
async fn agent(home: &TestHome) -> Agent {
    let socket = home.project().join(".the-loop/local/service.sock");
    let socket = socket.to_str().expect("a path in UTF-8");
    let transport = StreamableHttpClientTransport::from_unix_socket(socket, "http://localhost/mcp");
    ().serve(transport).await.expect("the service answers")
}

async fn call(agent: &Agent, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().expect("an object").clone();
    agent.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.expect("a result")
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| Some(block.as_text()?.text.clone())).collect()
}

fn tool(http: &Http, name: &str, arguments: &Value) -> Value {
    let call = json!({ "name": name, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }).to_string();
    http.raw(&request(http.authority(), &body)).json()["result"].clone()
}

fn request(authority: &str, body: &str) -> String {
    let head =
        format!("POST {MCP} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\ncontent-type: application/json");
    let accept = "accept: application/json, text/event-stream";
    format!("{head}\r\n{accept}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn there_are_three_tools_and_no_more() {
    let tools = serde_json::to_value(server::mcp::tools()).expect("serialises");
    let names: Vec<_> = tools.as_array().expect("a list").iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["list_standing_sessions", "get_standing_session", "say_to_standing_session"]);
    for tool in tools.as_array().expect("a list") {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean() && tool["description"].is_string(), "{tool}");
        assert!(!tool.to_string().contains("#/components/"), "an agent has no other document: {tool}");
    }
    assert_current("mcp-tools.json", &tools);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_reads_and_says() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let created = service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "ops" }));
    assert_eq!(created.json()["ok"], true, "{created:?}");
    let agent = agent(&home).await;
    let info = agent.peer_info().expect("told at the start");
    let name = serde_json::to_value(&*info).expect("serialises")["serverInfo"]["name"].clone();
    assert_eq!(name, "the-loop");
    let tools = agent.list_all_tools().await.expect("a list");
    assert_eq!(json!(tools), json!(server::mcp::tools()));

    let listed = call(&agent, "list_standing_sessions", json!({})).await;
    assert_eq!(listed.is_error, Some(false));
    let sessions = listed.structured_content.expect("structured")["sessions"].clone();
    assert_eq!((sessions[0]["name"].clone(), sessions[0]["running"].clone()), (json!("ops"), json!(true)));
    let one = call(&agent, "get_standing_session", json!({ "name": "ops" })).await;
    assert_eq!(one.structured_content.expect("structured")["ref"], "standing:ops");

    let say = json!({ "name": "ops", "text": "what is in flight?", "actor": "night shift" });
    let receipt = call(&agent, "say_to_standing_session", say).await.structured_content.expect("structured");
    assert_eq!((&receipt["delivered"], &receipt["verdict"]), (&json!(true), &json!("submitted")), "{receipt}");
    let said = home.events().into_iter().rfind(|event| event["event"] == "standing.said").expect("noted");
    assert_eq!(said["actor"], "mcp:night shift");
    agent.cancel().await.expect("it ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_is_a_result_that_says_why() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "idle", "start": false }));
    let agent = agent(&home).await;
    for (tool, arguments, part) in [
        ("get_standing_session", json!({ "name": "nobody" }), "`list_standing_sessions`"),
        ("get_standing_session", json!({ "name": "No" }), "lower-case letters"),
        ("get_standing_session", json!({}), "missing field `name`"),
        ("list_standing_sessions", json!({ "all": true }), "unknown field `all`"),
        ("say_to_standing_session", json!({ "name": "idle", "text": "up" }), "the-loop standing start idle"),
        ("say_to_standing_session", json!({ "name": "idle", "text": " " }), "only spaces"),
        ("say_to_standing_session", json!({ "name": "idle", "text": "" }), "empty"),
        ("say_to_standing_session", json!({ "name": "idle", "text": "up", "force": true }), "unknown field `force`"),
    ] {
        let result = assert_nothing_spawned(&home, || {
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(call(&agent, tool, arguments)))
        });
        assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
        assert!(text(&result).contains(part), "{tool}: {}", text(&result));
    }
    let unknown = agent.call_tool(CallToolRequestParams::new("stop_standing_session")).await;
    assert!(unknown.is_err(), "{unknown:?}");
    agent.cancel().await.expect("it ends");
}

#[test]
fn a_session_says_nothing_to_itself() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    for name in ["ops", "web"] {
        assert_eq!(http.post(&format!("{SESSIONS}/create"), &json!({ "name": name })).json()["ok"], true);
    }
    let record = std::fs::read_to_string(home.records().join("ops.json")).expect("a record");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    // A process that was started by the harness of `ops`, as its environment says.
    let say_from_ops = |to: &str| {
        let call = json!({ "name": "say_to_standing_session", "arguments": { "name": to, "text": "go on" } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }).to_string();
        let (host, port) = http.authority().split_once(':').expect("host and port");
        let script = format!("exec 3<>/dev/tcp/{host}/{port}; printf '%s' \"$REQUEST\" >&3; cat <&3");
        let output = Command::new("bash")
            .args(["-c", &script])
            .env("REQUEST", request(http.authority(), &body))
            .env("THE_LOOP_ID", record["loopId"].as_str().expect("an id"))
            .env("THE_LOOP_SESSION", "ops")
            .output()
            .expect("bash runs");
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        let body = answer.split_once("\r\n\r\n").expect("an answer").1.to_owned();
        serde_json::from_str::<Value>(&body).expect("JSON")["result"].clone()
    };
    let itself = say_from_ops("ops");
    assert_eq!(itself["isError"], true, "{itself}");
    assert!(
        itself["content"][0]["text"].as_str().expect("text").contains("cannot send messages to itself"),
        "{itself}"
    );
    let other = say_from_ops("web");
    assert_eq!(other["structuredContent"]["delivered"], true, "{other}");
    let said: Vec<Value> = home.events().into_iter().filter(|event| event["event"] == "standing.said").collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["actor"], "mcp:standing:ops");
}

#[test]
fn one_session_is_said_only_so_much_at_once() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "idle", "start": false }));
    let say = |name: &str| {
        let said = tool(&service.http(), "say_to_standing_session", &json!({ "name": name, "text": "up" }));
        said["content"][0]["text"].to_string()
    };
    let refused: Vec<String> = (0..12).map(|_| say("idle")).collect();
    assert!(
        refused.iter().all(|answer| answer.contains("not running")),
        "what was refused does not count: {refused:?}"
    );
    service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "ops" }));
    let held = (0..100).map(|_| say("ops")).find(|answer| answer.contains("too many messages to"));
    assert!(held.is_some());
}

/// A client that calls itself something says so as it initialises, and is known again by its process.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_an_actor_is_signed_with_what_the_client_calls_itself() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "ops" }));
    let socket = home.project().join(".the-loop/local/service.sock");
    let transport =
        StreamableHttpClientTransport::from_unix_socket(socket.to_str().expect("UTF-8"), "http://localhost/mcp");
    let mut info = rmcp::model::ClientConfig::default();
    info.client_info = Implementation::new("night-watch", "1");
    let agent = info.serve(transport).await.expect("the service answers");
    let say = json!({ "name": "ops", "text": "all quiet", "idempotencyKey": "once" });
    for _ in 0..2 {
        let arguments = say.as_object().expect("an object").clone();
        let call = CallToolRequestParams::new("say_to_standing_session").with_arguments(arguments);
        let receipt = agent.call_tool(call).await.expect("a result").structured_content.expect("structured");
        assert_eq!(receipt["delivered"], true, "{receipt}");
    }
    let said: Vec<Value> = home.events().into_iter().filter(|event| event["event"] == "standing.said").collect();
    assert_eq!(said.len(), 1, "the same key is typed once: {said:?}");
    assert_eq!(said[0]["actor"], "mcp:night-watch (claimed)");
    agent.cancel().await.expect("it ends");
}

#[tokio::test]
async fn a_body_that_is_not_a_message_is_the_callers_mistake() {
    let app = App::new();
    let ask = |kind: &'static str, body: &'static str| {
        let request = Request::post(MCP).header("host", AUTHORITY).header("content-type", kind);
        let request = request.header("accept", "application/json, text/event-stream");
        app.send(request.body(Body::from(body)).expect("a request"))
    };
    for body in ["{", "nonsense", "[]", "{}", "\u{fffe}"] {
        let answer = ask("application/json; charset=utf-8", body).await;
        assert_eq!(answer.status, 400, "{body:?}: {}", answer.text());
        assert_eq!(answer.json()["error"]["code"], -32700, "{body:?}");
    }
    assert_eq!(ask("text/plain", "{}").await.status, 415);
}

#[tokio::test]
async fn only_posts_are_taken_and_the_guard_stands_before_them() {
    let app = App::new();
    assert_eq!(app.get(MCP).await.status, 405);
    let ask = |headers: &[(&str, &str)]| {
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
        let mut request = Request::post(MCP).header("content-type", "application/json");
        request = request.header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        app.send(request.body(Body::from(list)).expect("a request"))
    };
    assert_eq!(ask(&[("host", AUTHORITY)]).await.status, 200);
    assert_eq!(ask(&[("host", AUTHORITY), ("origin", "http://127.0.0.1:4114")]).await.status, 200);
    problem(&ask(&[("host", "evil.example:4114")]).await, 403, "forbidden");
    for origin in ["http://evil.example", "null", "http://localhost:3000"] {
        problem(&ask(&[("host", AUTHORITY), ("origin", origin)]).await, 403, "forbidden");
    }
    for below in ["/mcp/", "/mcp/x", "/MCP"] {
        assert_eq!(app.get(below).await.status, 404, "{below}");
    }
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/mcp/enabled", json!(false)).build();
    let app = App::over(home, &Service::default());
    problem(&app.post(MCP, "{}").await, 404, "no-route");
}
