//! The service in-process and the built binary, each in a home of its own.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Request, Response, StatusCode},
};
use http_body_util::BodyExt as _;
use serde_json::Value;
use server::{
    access::{Access, Peer},
    router,
};
use standing::config::Service;
use testkit::TestHome;
use tower::ServiceExt as _;

/// The built binary.
pub(crate) const THE_LOOP: &str = env!("CARGO_BIN_EXE_the-loop");

/// Where the verbs are.
pub(crate) const SESSIONS: &str = "/api/v1/standing-sessions";

/// The name under which the in-process service is called.
pub(crate) const AUTHORITY: &str = "127.0.0.1:4114";

/// The whole router, guard included, over an instance in a home of its own.
pub(crate) struct App {
    router: Router,
    pub(crate) home: TestHome,
}

/// An answer, body and all.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.text()))
    }

    /// The header's value, empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a header in ASCII"))
    }
}

impl App {
    pub(crate) fn new() -> Self {
        Self::over(TestHome::builder().exe(THE_LOOP).build(), &Service::default())
    }

    pub(crate) fn over(home: TestHome, settings: &Service) -> Self {
        Self::asked_by(home, settings, Peer::ourselves())
    }

    /// The same, with somebody at the other end of every connection.
    pub(crate) fn asked_by(home: TestHome, settings: &Service, peer: Peer) -> Self {
        let router = {
            let whole =
                standing::config::Settings { service: settings.clone(), ..home.the_loop().config().settings.clone() };
            let access = Access::new(settings, "127.0.0.1", 4114);
            let router =
                router::router(home.the_loop(), &whole, access, router::CancellationToken::new()).expect("a router");
            router.layer(axum::Extension(peer))
        };
        Self { router, home }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response: Response<Body> = self.router.clone().oneshot(request).await.expect("the router never fails");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("the body ends").to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// Sends a request and returns the answer without its body, because the body of a stream does not end.
    pub(crate) async fn send_for_head(&self, request: Request<Body>) -> Answer {
        let response: Response<Body> = self.router.clone().oneshot(request).await.expect("the router never fails");
        let (parts, _) = response.into_parts();
        Answer { status: parts.status, headers: parts.headers, body: Bytes::new() }
    }

    /// Opens a stream, whose body does not end.
    pub(crate) async fn open(&self, path: &str) -> Response<Body> {
        let request = Request::get(path).header("host", AUTHORITY).body(Body::empty()).expect("a request");
        self.router.clone().oneshot(request).await.expect("the router never fails")
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).header("host", AUTHORITY).body(Body::empty()).expect("a request")).await
    }

    pub(crate) async fn get_with(&self, path: &str, name: &str, value: &str) -> Answer {
        let request = Request::get(path).header("host", AUTHORITY).header(name, value);
        self.send(request.body(Body::empty()).expect("a request")).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<Body>) -> Answer {
        self.post_as(path, Some("application/json"), body).await
    }

    pub(crate) async fn post_as(&self, path: &str, kind: Option<&str>, body: impl Into<Body>) -> Answer {
        let mut request = Request::post(path).header("host", AUTHORITY);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        self.send(request.body(body.into()).expect("a request")).await
    }

    pub(crate) async fn post_with(&self, path: &str, name: &str, value: &str, body: impl Into<Body>) -> Answer {
        let request = Request::post(path).header("host", AUTHORITY).header("content-type", "application/json");
        self.send(request.header(name, value).body(body.into()).expect("a request")).await
    }

    /// A body whose length is not told beforehand.
    pub(crate) async fn post_in_chunks(&self, path: &str, body: String) -> Answer {
        let chunks: Vec<Result<Bytes, std::io::Error>> =
            body.as_bytes().chunks(64 << 10).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        self.post(path, Body::from_stream(tokio_stream::iter(chunks))).await
    }
}

/// Asserts that the answer is a problem document of this status and code, complete in itself.
#[track_caller]
pub(crate) fn problem(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.json();
    assert_eq!(body["status"], status);
    assert_eq!(body["code"], code);
    assert_eq!(body["type"], format!("urn:the-loop:problem:{code}"));
    assert_eq!(body["instance"], answer.header("x-request-id"));
    for key in ["title", "detail"] {
        assert!(!body[key].as_str().expect("text").is_empty(), "{key} of {body}");
    }
}

/// `the-loop standing …` in a home.
pub(crate) struct Command<'a> {
    home: &'a TestHome,
}

/// Output and exit code of a command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().expect("an exit"), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl<'a> Command<'a> {
    pub(crate) fn in_home(home: &'a TestHome) -> Self {
        Self { home }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.fed("", args)
    }

    /// Runs a command with text on standard input.
    pub(crate) fn fed(&self, input: &str, args: &[&str]) -> Said {
        let mut command = self.home.command(THE_LOOP);
        command.arg("standing").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        // One that reads nothing may be gone before all is written.
        let _ = child.stdin.take().expect("piped above").write_all(input.as_bytes());
        Said::of(&child.wait_with_output().expect("it ends"))
    }

    /// Runs a verb that must succeed with a first line that begins like this; all it said is handed back.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str], line: &str) -> String {
        let said = self.run(args);
        assert!(said.code == 0 && said.out.starts_with(line) && said.err.is_empty(), "{args:?}: {said:#?}");
        said.out
    }
}
