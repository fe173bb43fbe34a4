//! A fake model vendor on loopback. It implements enough of the vendors' streaming interfaces for their agents to hold
//! a conversation without an account. It is also a proxy that blocks all requests and records their hosts.
//!
//! Its answers prove that they received the conversation: they repeat every `mark-…` word of the whole request.

mod anthropic;
mod chat;
mod failure;
mod gemini;
mod responses;

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{Method, Response, StatusCode, Uri, header},
};
pub use failure::Failure;
use serde_json::Value;
use tokio::{net::TcpListener, runtime::Runtime, sync::watch};

/// A prompt with these words is answered with a command, which an agent runs only after it has asked the user.
const RUN: &str = "run-a-command";

/// A fake model that serves until it is dropped.
#[derive(Debug)]
pub struct StubModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    held: watch::Sender<bool>,
    _runtime: Runtime,
}

#[derive(Debug)]
struct Shared {
    asked: Mutex<Vec<String>>,
    refused: Mutex<BTreeSet<String>>,
    failure: Mutex<Option<Failure>>,
    held: watch::Receiver<bool>,
    /// True if an answer repeats only what came after the answer before it.
    only_news: AtomicBool,
    /// Delay of each answer in milliseconds.
    delay: AtomicU64,
}

/// Kind of answer.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    Say(String),
    /// A shell command, which the agent must ask the user about.
    Run(String),
}

impl StubModel {
    /// Starts the server on a free port of loopback.
    ///
    /// # Panics
    ///
    /// If it could not listen there.
    #[expect(clippy::new_without_default, reason = "it starts a server, which `default` would not say")]
    pub fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (held, gate) = watch::channel(false);
        let shared = Arc::new(Shared {
            asked: Mutex::default(),
            refused: Mutex::default(),
            failure: Mutex::default(),
            held: gate,
            only_news: AtomicBool::default(),
            delay: AtomicU64::default(),
        });
        let router = Router::new().fallback(serve).with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { address, shared, held, _runtime: runtime }
    }

    /// Returns `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requested paths, in order.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.shared.asked).clone()
    }

    /// Returns the hosts that clients tried to reach through the proxy.
    pub fn refused(&self) -> BTreeSet<String> {
        lock(&self.shared.refused).clone()
    }

    /// Answers every turn with a failure, or well again with `None`.
    pub fn fail(&self, failure: Option<Failure>) {
        *lock(&self.shared.failure) = failure;
    }

    /// Repeats only the words that came after the last answer, and answers after a delay.
    pub fn answer_only_news(&self, delay: Duration) {
        self.shared.only_news.store(true, Ordering::SeqCst);
        self.shared.delay.store(u64::try_from(delay.as_millis()).unwrap_or_default(), Ordering::SeqCst);
    }

    /// Holds all answers back while `held` is true.
    pub fn hold(&self, held: bool) {
        self.held.send_replace(held);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response<Body> {
    if method == Method::CONNECT {
        lock(&shared.refused).insert(uri.to_string());
        return plain(StatusCode::FORBIDDEN, "text/plain", String::new());
    }
    let path = uri.path();
    lock(&shared.asked).push(format!("{method} {path}"));
    let mut body: Value = serde_json::from_slice(&body).unwrap_or_default();
    if shared.only_news.load(Ordering::SeqCst) {
        drop_answered(&mut body);
        tokio::time::sleep(Duration::from_millis(shared.delay.load(Ordering::SeqCst))).await;
    }
    let _ = shared.held.clone().wait_for(|held| !held).await;
    let streams = body["stream"] == true;
    let failure = *lock(&shared.failure);
    if let Some(failed) = failure.filter(|_| method == Method::POST).and_then(|failure| failure.answer(path)) {
        return failed;
    }
    match path {
        _ if method != Method::POST => plain(StatusCode::OK, "application/json", "{}".to_owned()),
        _ if path.ends_with("/messages/count_tokens") => json(&serde_json::json!({"input_tokens": 1})),
        _ if path.ends_with("/messages") => reply(streams, &anthropic::whole(&body), || anthropic::stream(&body)),
        _ if path.ends_with("/responses") => stream(&responses::stream(&body)),
        _ if path.ends_with("/chat/completions") => reply(streams, &chat::whole(&body), || chat::stream(&body)),
        _ if path.contains("treamGenerateContent") => stream(&gemini::stream(&body)),
        _ if path.contains("enerateContent") => json(&gemini::whole(&body)),
        _ => plain(StatusCode::NOT_FOUND, "application/json", "{}".to_owned()),
    }
}

fn reply(streams: bool, whole: &Value, events: impl FnOnce() -> Vec<Sent>) -> Response<Body> {
    if streams { stream(&events()) } else { json(whole) }
}

/// One server-sent event: its name (empty for none) and its data.
type Sent = (&'static str, Value);

fn stream(events: &[Sent]) -> Response<Body> {
    let text: String = events
        .iter()
        .map(|(name, data)| match (*name, data) {
            ("", Value::String(word)) => format!("data: {word}\n\n"),
            ("", data) => format!("data: {data}\n\n"),
            (name, data) => format!("event: {name}\ndata: {data}\n\n"),
        })
        .collect();
    plain(StatusCode::OK, "text/event-stream", text)
}

fn json(value: &Value) -> Response<Body> {
    plain(StatusCode::OK, "application/json", value.to_string())
}

fn plain(status: StatusCode, kind: &str, text: String) -> Response<Body> {
    let response = Response::builder().status(status).header(header::CONTENT_TYPE, kind);
    response.body(Body::from(text)).expect("a valid response")
}

/// Removes everything up to the last answer from a conversation, whichever vendor's it is.
fn drop_answered(body: &mut Value) {
    for key in ["messages", "input"] {
        let Some(parts) = body[key].as_array_mut() else { continue };
        if let Some(last) = parts.iter().rposition(|part| part["role"] == "assistant") {
            parts.drain(..=last);
        }
    }
}

/// Selects the answer to a conversation, whose last part is `last`.
fn turn(conversation: &Value, last: Option<&Value>, is_result: bool) -> Turn {
    let mut last_words = String::new();
    if let Some(last) = last {
        texts(last, &mut last_words);
    }
    if !is_result && let Some((_, path)) = last_words.split_once(RUN) {
        let path = path.split_whitespace().next().unwrap_or("made");
        return Turn::Run(format!("touch {path}"));
    }
    let mut words = String::new();
    texts(conversation, &mut words);
    let mut marks: Vec<&str> = Vec::new();
    for word in words.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| word.starts_with("mark-")) {
        if !marks.contains(&word) {
            marks.push(word);
        }
    }
    let heard = if marks.is_empty() { "nothing".to_owned() } else { marks.join(", ") };
    Turn::Say(format!("heard {heard}"))
}

/// Collects all text of a value, whatever its keys.
fn texts(value: &Value, found: &mut String) {
    match value {
        Value::String(text) => {
            found.push(' ');
            found.push_str(text);
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns a unique ID.
fn fresh_id(kind: &str) -> String {
    format!("{kind}_{}", uuid::Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_mark_of_the_conversation_is_named_once_in_order() {
        let conversation = json!([{"content": "mark-b, please"}, {"content": [{"text": "mark-a (mark-b)"}]}]);
        assert_eq!(turn(&conversation, None, false), Turn::Say("heard mark-b, mark-a".to_owned()));
        let last = json!({"content": "do run-a-command /tmp/x now"});
        assert_eq!(turn(&conversation, Some(&last), false), Turn::Run("touch /tmp/x".to_owned()));
        assert_eq!(turn(&json!([]), Some(&last), true), Turn::Say("heard nothing".to_owned()));
    }

    #[test]
    fn it_answers_on_loopback_and_is_no_way_out() {
        let model = StubModel::new();
        let http = crate::Http::to(model.address.to_string());
        let answer = http.post("/v1/messages", &json!({"messages": [{"role": "user", "content": "mark-x"}]}));
        assert_eq!(answer.json()["content"][0]["text"], "heard mark-x");
        let answer = http.raw("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\nconnection: close\r\n\r\n");
        assert_eq!(answer.status, 403);
        assert_eq!(model.refused(), BTreeSet::from(["example.com:443".to_owned()]));
        assert_eq!(model.asked(), ["POST /v1/messages"]);
    }
}
