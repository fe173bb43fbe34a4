//! The terminal of a session: what it shows and takes, who may open it, and that it leaves no client behind.

use std::{process::Command, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use standing::CreateRequest;
use testkit::{TestHome, TestService, wait_for};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest as _, protocol::CloseFrame},
};

use crate::app::{SESSIONS, THE_LOOP};

const CAP: Duration = Duration::from_secs(20);

const PANE: &str = "=loop-standing-ops:";

fn home(write: bool) -> TestHome {
    let home = TestHome::builder().exe(THE_LOOP);
    let home = home.set("/routing/webTerminal", json!({ "enabled": true, "write": write })).build();
    let create = CreateRequest { harness: "echoer".to_owned(), ..CreateRequest::named("ops") };
    assert!(home.the_loop().standing().create(&create).expect("created").ok);
    wait_for("its agent", || home.tmux().screen("loop-standing-ops").contains("echoer is ready").then_some(()));
    home
}

fn clients(home: &TestHome) -> Vec<String> {
    let listed = home.tmux().run(&["list-clients", "-F", "#{client_session} #{client_flags}"]);
    String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect()
}

#[track_caller]
fn no_client_is_left(home: &TestHome) {
    wait_for("no client", || clients(home).is_empty().then_some(()));
}

fn window(home: &TestHome) -> String {
    let shown = home.tmux().run(&["display-message", "-p", "-t", PANE, "#{window_width}x#{window_height}"]);
    String::from_utf8_lossy(&shown.stdout).trim().to_owned()
}

/// Returns the status of a request for the WebSocket, with a header if one is given.
fn status(service: &TestService, path: &str, header: &str) -> u16 {
    let http = service.http();
    let upgrade = "connection: upgrade, close\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let host = http.authority();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{upgrade}{header}\r\n");
    http.raw(&request).status
}

/// A page with an open terminal.
struct Page {
    socket: WebSocketStream<TcpStream>,
    shown: String,
    size: Value,
}

impl Page {
    async fn open(service: &TestService, mode: &str) -> Self {
        let authority = service.http().authority().to_owned();
        let address = format!("ws://{authority}/app/terminal/ops?mode={mode}");
        let mut request = address.into_client_request().expect("a request");
        request.headers_mut().insert("origin", format!("http://{authority}").parse().expect("a header"));
        let stream = TcpStream::connect(&authority).await.expect("the service listens");
        let (socket, _) = client_async(request, stream).await.expect("a WebSocket");
        Self { socket, shown: String::new(), size: Value::Null }
    }

    async fn send(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.expect("sent");
    }

    /// Reads until the output contains a text.
    async fn until(&mut self, text: &str) {
        let found = timeout(CAP, async {
            while !self.shown.contains(text) {
                match self.socket.next().await.expect("a message").expect("a message") {
                    Message::Binary(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                    Message::Text(text) => self.size = serde_json::from_str(&text).expect("JSON"),
                    Message::Ping(_) => {}
                    other => panic!("{other:?} while waiting for {text}"),
                }
            }
        });
        assert!(found.await.is_ok(), "no {text} in {:?}", self.shown);
    }

    /// Reads until the service closes the socket.
    async fn closed(&mut self) -> Option<CloseFrame> {
        let closed = timeout(CAP, async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(frame))) => break frame,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break None,
                }
            }
        });
        closed.await.expect("the end of the socket")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_to_read_shows_the_pane_and_changes_nothing() {
    let home = home(true);
    let service = TestService::start(THE_LOOP, &home);
    let mut page = Page::open(&service, "read").await;
    page.until("echoer is ready").await;
    assert_eq!(page.size, json!({ "size": [200, 51] }), "the window and the status line");
    assert_eq!(clients(&home).len(), 1);
    assert!(
        clients(&home)[0].contains("read-only") && clients(&home)[0].contains("ignore-size"),
        "{:?}",
        clients(&home)
    );
    page.send(json!({ "input": "marmalade\r" })).await;
    page.send(json!({ "resize": [40, 10] })).await;
    page.socket.close(None).await.expect("closed");
    // Messages are handled in order, so the input was handled as well.
    page.closed().await;
    no_client_is_left(&home);
    home.tmux().run(&["send-keys", "-t", PANE, "honey", "Enter"]);
    wait_for("the answer", || home.tmux().screen("loop-standing-ops").contains("echo: honey").then_some(()));
    assert!(!home.tmux().screen("loop-standing-ops").contains("marmalade"));
    assert_eq!(window(&home), "200x50");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_to_write_types_and_has_the_size_of_its_page() {
    let home = home(true);
    let service = TestService::start(THE_LOOP, &home);
    let mut page = Page::open(&service, "write").await;
    page.send(json!({ "resize": [100, 31] })).await;
    page.until("echoer is ready").await;
    page.send(json!({ "input": "marmalade ü\r" })).await;
    page.until("echo: marmalade ü").await;
    wait_for("the size", || (window(&home) == "100x30").then_some(()));
    // A browser that is killed sends nothing more.
    drop(page);
    no_client_is_left(&home);
    wait_for("the size of its own", || (window(&home) == "200x50").then_some(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_not_understood_closes_the_terminal() {
    let home = home(true);
    let service = TestService::start(THE_LOOP, &home);
    let mut page = Page::open(&service, "write").await;
    page.send(json!({ "run": "ls" })).await;
    let frame = page.closed().await.expect("a reason");
    assert_eq!(u16::from(frame.code), 1008, "{frame:?}");
    no_client_is_left(&home);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_session_closes_its_terminal_whatever_the_operator_has_set() {
    let home = home(false);
    // With this setting, tmux moves the clients of an ended session to another one.
    home.tmux().start_foreign("other");
    home.tmux().run(&["set-option", "-g", "detach-on-destroy", "off"]);
    let service = TestService::start(THE_LOOP, &home);
    let mut page = Page::open(&service, "read").await;
    page.until("echoer is ready").await;
    let stop = json!({ "name": "ops", "verb": "stop" });
    assert_eq!(service.http().post(&format!("{SESSIONS}/control"), &stop).status, 200);
    let frame = page.closed().await.expect("a reason");
    assert!(frame.reason.contains("session ended"), "{frame:?}");
    no_client_is_left(&home);
    let refused = service.http().get("/app/terminal/ops");
    assert!(refused.status == 404 && refused.body.contains("could not open a terminal of `ops`"), "{refused:?}");
    let page = service.http().get("/standing/ops/terminal");
    // A program that was built without npm has no terminal for any session.
    let told = ["Only a running session has a terminal.", "This program was built without the terminal."];
    assert!(page.status == 404 && told.iter().any(|told| page.body.contains(told)), "{page:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_service_ends_the_client_even_if_it_was_killed() {
    let home = home(false);
    let mut service = TestService::start(THE_LOOP, &home);
    let mut page = Page::open(&service, "read").await;
    page.until("echoer is ready").await;
    assert!(service.stop().success());
    let frame = page.closed().await.expect("a reason");
    assert!(frame.reason.contains("shutting down"), "{frame:?}");
    no_client_is_left(&home);

    let mut service = TestService::start(THE_LOOP, &home);
    let mut page = Page::open(&service, "read").await;
    page.until("echoer is ready").await;
    service.kill();
    page.closed().await;
    no_client_is_left(&home);
    assert!(home.the_loop().standing().get("ops").expect("a row").running);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_does_not_read_costs_no_memory() {
    let home = home(false);
    let service = TestService::start(THE_LOOP, &home);
    let page = Page::open(&service, "read").await;
    wait_for("the client", || (clients(&home).len() == 1).then_some(()));
    let before = resident(service.pid());
    home.tmux().run(&["split-window", "-d", "-t", PANE, "yes 'flood of output that the page does not read'"]);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let after = resident(service.pid());
    assert!(after < before + 16_000, "{before} kB before, {after} kB after");
    drop(page);
    no_client_is_left(&home);
}

/// Returns the resident memory of a process in kB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn only_pages_of_the_service_and_only_operators_open_a_terminal() {
    let home = home(false);
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    for header in ["origin: http://evil.example\r\n", "origin: null\r\n", "sec-fetch-site: cross-site\r\n"] {
        assert_eq!(status(&service, "/app/terminal/ops", header), 403, "{header}");
    }
    let strange = format!("http://{authority}").replace("127.0.0.1", "loop.example");
    assert_eq!(status(&service, "/app/terminal/ops", &format!("origin: {strange}\r\n")), 403);
    assert!(clients(&home).is_empty());

    let mut curl = home.command("curl");
    curl.env("THE_LOOP_ID", "7").env("THE_LOOP_SESSION", "ops");
    let told = asked(curl, &format!("http://{authority}/app/terminal/ops"));
    assert!(told.contains("standingSessions.agentsMayControl") && told.contains("\"status\":403"), "{told}");
    // These tests may themselves be run from inside a session: then the operator's own call would be refused.
    if std::env::var_os("THE_LOOP_ID").is_none() {
        let told = asked(home.command("curl"), &format!("http://{authority}/app/terminal/ops"));
        assert!(!told.contains("\"status\""), "only the upgrade is missing: {told}");
    }
}

fn asked(mut curl: Command, address: &str) -> String {
    let output = curl.args(["--silent", address]).output().expect("curl runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_config_does_not_allow_is_refused_with_its_reason() {
    let home = home(false);
    let service = TestService::start(THE_LOOP, &home);
    let told = |path: &str| {
        let answer = service.http().get(path);
        (answer.status, answer.json()["detail"].as_str().unwrap_or_default().to_owned())
    };
    let (status, why) = told("/app/terminal/ops?mode=write");
    assert!(status == 403 && why.contains("routing.webTerminal.write"), "{status} {why}");
    assert_eq!(told("/app/terminal/nothing").0, 404);
    home.tmux().start_foreign("loop-standing-theirs");
    assert_eq!(told("/app/terminal/theirs").0, 404);

    let mut pages = Vec::new();
    for _ in 0..8 {
        pages.push(Page::open(&service, "read").await);
    }
    let (status, why) = told("/app/terminal/ops");
    assert!(status == 503 && why.contains("maximum number"), "{status} {why}");
    drop(pages);
    no_client_is_left(&home);

    home.reconfigure("/routing/webTerminal/enabled", json!(false));
    let (status, why) = told("/app/terminal/ops");
    assert!(status == 404 && why.contains("routing.webTerminal.enabled"), "{status} {why}");
}

#[test]
fn the_page_of_the_terminal_says_why_it_has_none() {
    let home = home(false);
    let service = TestService::start(THE_LOOP, &home);
    let page = service.http().get("/standing/ops/terminal");
    let attach = "attach -r -t '=loop-standing-ops'".replace('\'', "&#x27;");
    assert!(page.body.contains("attach -r -t") || page.body.contains(&attach), "{}", page.body);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(!policy.contains("unsafe-inline"), "{policy}");
    if page.status == 200 {
        assert!(page.body.contains("data-socket=\"/app/terminal/ops?mode=read\""), "{}", page.body);
        assert!(policy.contains("style-src 'self' 'nonce-"), "{policy}");
    } else {
        assert!(page.status == 404 && page.body.contains("built without the terminal"), "{page:?}");
    }
    assert_eq!(service.http().get("/standing/nothing/terminal").status, 404);
    home.reconfigure("/routing/webTerminal/enabled", json!(false));
    let off = service.http().get("/standing/ops/terminal");
    assert!(off.status == 404 && off.body.contains("routing.webTerminal.enabled"), "{off:?}");
    assert!(off.header("content-security-policy").is_some_and(|policy| policy.contains("style-src 'self';")));
}
