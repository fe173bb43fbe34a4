//! `the-loop serve` as its own process: where it listens, what it refuses, how it ends, and what it logs.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    process::Stdio,
    thread,
};

use serde_json::json;
use testkit::{TestHome, TestService, wait_for};

use crate::app::{Command, SESSIONS, Said, THE_LOOP};

fn run(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).args(args).stdin(Stdio::null()).output().expect("the binary runs"))
}

#[test]
fn serve_says_where_and_ends_on_sigterm() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let mut service = TestService::start(THE_LOOP, &home);
    assert!(service.address().starts_with("http://127.0.0.1:"), "{}", service.address());
    assert!(service.address().ends_with("/#/standing"), "{}", service.address());
    assert_eq!(service.http().get("/api/v1/standing-sessions").json(), json!([]));
    assert_eq!(service.stop().code(), Some(0), "{}", service.log());
}

#[test]
fn serve_refuses_to_be_exposed_unasked() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let told = run(&home, &["serve", "--host", host, "--port", "0"]);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{}", told.err);
        assert!(told.err.contains("service.exposed"), "{}", told.err);
    }
}

#[test]
fn serve_names_a_port_that_is_taken() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let told = run(&home, &["serve", "--port", &port]);
    assert_eq!((told.code, told.out.as_str()), (1, ""), "{}", told.err);
    assert!(told.err.contains(&format!("port {port}")) && told.err.contains("--port"), "{}", told.err);
}

/// A create that is under way in the service: begun, and not answered before its probe is over, since the agent does not
/// take its brief.
fn create_under_way(home: &TestHome, service: &TestService) -> thread::JoinHandle<Option<testkit::Answer>> {
    let http = service.http();
    let body = json!({ "name": "ops", "harness": "demo", "harnessArgs": ["--fault", "deaf-box"] });
    let asked = thread::spawn(move || http.exchange(&http.posting(&format!("{SESSIONS}/create"), &body)));
    wait_for("the session to be spawned", || home.tmux().sessions().pop());
    asked
}

#[test]
fn what_has_begun_is_answered_before_the_end() {
    let home = TestHome::builder().exe(THE_LOOP).set("/routing/tmux/resumeProbeSeconds", json!(1)).build();
    let mut service = TestService::start(THE_LOOP, &home);
    let asked = create_under_way(&home, &service);
    assert_eq!(service.stop().code(), Some(0), "{}", service.log());
    let answer = asked.join().expect("no panic").expect("an answer");
    assert_eq!((answer.status, &answer.json()["ok"]), (200, &json!(true)), "{answer:?}");
    let cli = Command::in_home(&home);
    let row = cli.ok(&["get", "ops"], "Name");
    assert!(row.contains("running"), "the session outlives the service: {row}");
    cli.ok(&["delete", "ops"], "ops  deleted");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let home = TestHome::builder().exe(THE_LOOP).set("/routing/tmux/resumeProbeSeconds", json!(600)).build();
    let mut service = TestService::start(THE_LOOP, &home);
    let asked = create_under_way(&home, &service);
    service.terminate();
    wait_for("the first signal to be noticed", || service.log().contains("shutting down").then_some(()));
    service.terminate();
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    assert!(asked.join().expect("no panic").is_none(), "nothing was waited for");
    // What was cut short is accounted for by the next verb.
    Command::in_home(&home).ok(&["delete", "ops"], "ops  deleted");
    assert_eq!(home.tmux().sessions(), Vec::<String>::new());
}

#[test]
fn the_log_holds_no_message() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start_with(THE_LOOP, &home, |command| {
        command.env("THE_LOOP_LOG", "trace");
    });
    let post = |verb: &str, body| service.http().post(&format!("{SESSIONS}/{verb}"), &body);
    assert_eq!(post("create", json!({ "name": "ops", "harness": "demo", "prompt": "a-secret-brief" })).status, 200);
    assert_eq!(post("say", json!({ "name": "ops", "text": "a-secret-message" })).status, 200);
    assert_eq!(post("say", json!({ "name": "ops", "text": 7, "actor": "a-secret-actor" })).status, 422);
    assert_eq!(post("delete", json!({ "name": "ops" })).status, 200);
    let log = service.log();
    assert!(log.contains("/api/v1/standing-sessions/say"), "{log}");
    assert!(!log.contains("a-secret"), "{log}");
}

#[test]
fn a_filter_that_is_not_understood_is_told_of() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start_with(THE_LOOP, &home, |command| {
        command.env("THE_LOOP_LOG", "=no=filter=");
    });
    assert!(service.log().contains("THE_LOOP_LOG"), "{}", service.log());
}

#[test]
fn a_name_beyond_this_machine_without_a_token_is_warned_of_at_start() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/allowedHosts", json!(["loop.example"])).build();
    let service = TestService::start(THE_LOOP, &home);
    let warned = || {
        let log = service.log();
        (log.contains("loop.example") && log.contains("service.auth.mode: token")).then_some(())
    };
    wait_for("the warning", warned);
    drop(service);
    home.reconfigure("/service/allowedHosts", json!(["localhost:8080"]));
    let service = TestService::start(THE_LOOP, &home);
    assert!(!service.log().contains("auth.mode"), "{}", service.log());
}

#[test]
fn a_client_that_closes_its_own_half_gets_its_whole_answer() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    for (path, least) in [("/health", 2), (SESSIONS, 2), ("/api/openapi.json", 20_000), ("/", 2_000)] {
        let mut stream = TcpStream::connect(&authority).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {authority}\r\n\r\n").expect("sent");
        stream.shutdown(Shutdown::Write).expect("closed");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the service closes as well, without being asked to");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200") && body.len() >= least, "{path}: {head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        assert!(length.is_none_or(|length| length == body.len().to_string()), "{path}: {head}");
    }
}
