//! A fake ntfy server and a fake webhook on loopback.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use hmac::{Hmac, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use testkit::wait_for;
use tokio::{net::TcpListener, sync::oneshot, time};

/// Token that the ntfy server accepts.
pub(crate) const TOKEN: &str = "tk_s3cret-of-ntfy";
/// Key of the webhook.
pub(crate) const KEY: &str = "s3cret-of-the-webhook";
/// Topic of the ntfy server.
pub(crate) const TOPIC: &str = "agents";

/// State of both.
#[derive(Default)]
struct World {
    /// Messages of the topic, deletions included, in order.
    messages: Vec<Value>,
    /// Notifications of the webhook whose signature is right, in order, with their arrival.
    hooks: Vec<(Instant, Value)>,
    /// Requests that were refused, with the reason.
    refused: Vec<String>,
    /// Number of webhooks that are answered with 500.
    failing: usize,
    /// True while webhooks are not answered at all.
    hanging: bool,
    /// True while published messages are stored and not answered.
    silent: bool,
}

type Shared = Arc<Mutex<World>>;

/// Both servers. Dropping them ends them.
pub(crate) struct Stub {
    address: SocketAddr,
    world: Shared,
    end: Option<oneshot::Sender<()>>,
    server: Option<thread::JoinHandle<()>>,
}

fn lock(world: &Shared) -> std::sync::MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stub {
    pub(crate) fn start() -> Self {
        let world = Shared::default();
        let (ready, told) = std::sync::mpsc::channel();
        let (end, ended) = oneshot::channel();
        let shared = Arc::clone(&world);
        let server = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
                ready.send(listener.local_addr().expect("an address")).expect("the test waits");
                let app = Router::new()
                    .route("/ntfy/", post(publish))
                    .route("/ntfy/agents/json", get(poll))
                    .route("/ntfy/agents/{sequence}", axum::routing::delete(delete))
                    .route("/hook", post(hook))
                    .with_state(shared);
                tokio::select! {
                    served = axum::serve(listener, app) => served.expect("it serves"),
                    _ = ended => {}
                }
            });
        });
        let address = told.recv().expect("it comes up");
        Self { address, world, end: Some(end), server: Some(server) }
    }

    pub(crate) fn ntfy(&self) -> String {
        format!("http://{}/ntfy/{TOPIC}", self.address)
    }

    pub(crate) fn hook(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// The published messages of a session, oldest first.
    pub(crate) fn published(&self, session: &str) -> Vec<Value> {
        let world = lock(&self.world);
        let of_session = |message: &&Value| {
            message["event"] == "message" && message["title"].as_str().is_some_and(|title| title.starts_with(session))
        };
        world.messages.iter().filter(of_session).cloned().collect()
    }

    /// Number of deletions of a sequence.
    pub(crate) fn deletions(&self, sequence: &Value) -> usize {
        let deleted = |message: &&Value| message["event"] == "message_delete" && message["sequence_id"] == *sequence;
        lock(&self.world).messages.iter().filter(deleted).count()
    }

    /// The signed notifications of a session with this event.
    pub(crate) fn hooks(&self, session: &str, event: &str) -> Vec<Value> {
        let world = lock(&self.world);
        let fits = |hook: &&(Instant, Value)| hook.1["sessions"][0] == session && hook.1["event"] == event;
        world.hooks.iter().filter(fits).map(|(_, hook)| hook.clone()).collect()
    }

    /// The arrival of the first notification of a session.
    pub(crate) fn arrival(&self, session: &str) -> Option<Instant> {
        lock(&self.world).hooks.iter().find(|(_, hook)| hook["sessions"][0] == session).map(|(at, _)| *at)
    }

    pub(crate) fn refused(&self) -> Vec<String> {
        lock(&self.world).refused.clone()
    }

    /// Answers the next webhooks with 500.
    pub(crate) fn fail(&self, times: usize) {
        lock(&self.world).failing = times;
    }

    /// Answers no webhook.
    pub(crate) fn hang(&self, hanging: bool) {
        lock(&self.world).hanging = hanging;
    }

    /// Stores published messages without an answer.
    pub(crate) fn keep_silent(&self, silent: bool) {
        lock(&self.world).silent = silent;
    }

    /// Waits for the published message of a session.
    pub(crate) fn ring(&self, session: &str) -> Value {
        wait_for(&format!("a notification of {session}"), || self.published(session).pop())
    }

    /// Waits until a sequence is deleted.
    pub(crate) fn deleted(&self, message: &Value) {
        let sequence = &message["sequence_id"];
        wait_for("the notification to be withdrawn", || (self.deletions(sequence) > 0).then_some(()));
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

fn is_signed_in(headers: &HeaderMap, world: &Shared) -> bool {
    let given = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if given == format!("Bearer {TOKEN}") {
        return true;
    }
    lock(world).refused.push("ntfy: wrong token".to_owned());
    false
}

async fn publish(State(world): State<Shared>, headers: HeaderMap, Json(mut message): Json<Value>) -> Response {
    if !is_signed_in(&headers, &world) {
        return StatusCode::FORBIDDEN.into_response();
    }
    if message["topic"] != TOPIC || !message["message"].is_string() || message["priority"].as_u64() > Some(5) {
        lock(&world).refused.push(format!("ntfy: {message}"));
        return StatusCode::BAD_REQUEST.into_response();
    }
    message["event"] = json!("message");
    lock(&world).messages.push(message.clone());
    while lock(&world).silent {
        time::sleep(Duration::from_millis(20)).await;
    }
    Json(message).into_response()
}

async fn delete(State(world): State<Shared>, headers: HeaderMap, Path(sequence): Path<String>) -> Response {
    if !is_signed_in(&headers, &world) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let message = json!({ "event": "message_delete", "sequence_id": sequence });
    lock(&world).messages.push(message.clone());
    Json(message).into_response()
}

async fn poll(State(world): State<Shared>, headers: HeaderMap) -> Response {
    if !is_signed_in(&headers, &world) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let lines: Vec<String> = lock(&world).messages.iter().map(Value::to_string).collect();
    format!("{}\n", lines.join("\n")).into_response()
}

async fn hook(State(world): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    while lock(&world).hanging {
        time::sleep(Duration::from_millis(20)).await;
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).expect("a key of any length");
    mac.update(header("the-loop-timestamp").as_bytes());
    mac.update(b".");
    mac.update(&body);
    let hex = mac.finalize().into_bytes().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    let age = header("the-loop-timestamp").parse::<i64>().map(|at| jiff::Timestamp::now().as_second() - at);
    if header("the-loop-signature") != format!("v1={hex}") || !age.is_ok_and(|age| (0..60).contains(&age)) {
        lock(&world).refused.push("webhook: wrong signature".to_owned());
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let mut locked = lock(&world);
    if locked.failing > 0 {
        locked.failing -= 1;
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let mut value: Value = serde_json::from_slice(&body).expect("JSON");
    value["key"] = json!(header("idempotency-key"));
    locked.hooks.push((Instant::now(), value));
    StatusCode::NO_CONTENT.into_response()
}
