//! The command line: the built binary in a home of its own.

use std::{
    net::TcpListener,
    process::{Output, Stdio},
};

use serde_json::json;
use testkit::{TestHome, TestService};

use crate::app::THE_LOOP;

struct Said {
    code: i32,
    out: String,
    err: String,
}

fn said(output: &Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code().expect("an exit"), out: text(&output.stdout), err: text(&output.stderr) }
}

fn run(home: &TestHome, args: &[&str]) -> Said {
    said(&home.command(THE_LOOP).args(args).stdin(Stdio::null()).output().expect("the binary runs"))
}

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

#[test]
fn version_and_help() {
    let home = home();
    assert_eq!(run(&home, &["--version"]).out, format!("the-loop {}\n", env!("CARGO_PKG_VERSION")));
    let verbs = ["list", "get", "create", "delete", "start", "stop", "restart", "say"];
    for verb in verbs {
        let help = run(&home, &["standing", verb, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.out.contains(&format!("Examples:\n  the-loop standing {verb}")), "{}", help.out);
    }
    let standing = run(&home, &["standing", "--help"]).out;
    assert!(verbs.iter().all(|verb| standing.contains(&format!("\n  {verb} "))), "{standing}");
}

#[test]
fn an_empty_list_says_what_to_type() {
    let home = home();
    let text = run(&home, &["standing", "list"]);
    assert_eq!(text.code, 0);
    assert!(text.out.contains("the-loop standing create"), "{}", text.out);
    let json = run(&home, &["standing", "list", "--format", "json"]);
    assert_eq!((json.code, json.out.as_str(), json.err.as_str()), (0, "[]\n", ""));
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    let home = home();
    for args in [
        vec![],
        vec!["standing"],
        vec!["standing", "lst"],
        vec!["standing", "restart"],
        vec!["standing", "say", "ops"],
        vec!["standing", "say", "ops", "one", "--text", "two"],
        vec!["standing", "get", "Not-A-Name"],
        vec!["standing", "create", "ops", "--prompt", "a", "--prompt-file", "b"],
        vec!["standing", "list", "--format", "xml"],
    ] {
        let told = run(&home, &args);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{args:?}: {}", told.err);
        assert!(!told.err.is_empty());
    }
}

#[test]
fn what_is_not_there_exits_with_1() {
    let home = home();
    for args in [["get", "ops"], ["delete", "ops"]] {
        let told = run(&home, &["standing", args[0], args[1]]);
        assert_eq!((told.code, told.out.as_str()), (1, ""), "{args:?}: {}", told.err);
        assert!(told.err.contains("`ops`"), "{}", told.err);
    }
}

#[test]
fn a_brief_that_cannot_be_read_is_named() {
    let home = home();
    let told = run(&home, &["standing", "create", "ops", "--prompt-file", "no/such.md"]);
    assert_eq!(told.code, 2);
    assert!(told.err.contains(&home.project().join("no/such.md").display().to_string()), "{}", told.err);
}

#[test]
fn a_reader_that_left_is_no_error() {
    let home = home();
    let mut child = home.command("/bin/sh");
    let script = format!("{{ '{THE_LOOP}' standing list; echo $? >&2; }} | true");
    let told = said(&child.args(["-c", &script]).output().expect("sh runs"));
    assert_eq!(told.err, "0\n");
}

#[test]
fn a_full_disk_is_one() {
    let home = home();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full opens");
    let told = said(&home.command(THE_LOOP).args(["standing", "list"]).stdout(full).output().expect("runs"));
    assert_eq!(told.code, 1);
    assert!(told.err.contains("cannot write"), "{}", told.err);
}

#[test]
fn no_colours_but_on_a_terminal() {
    let home = home();
    let told = run(&home, &["standing", "get", "ops"]);
    assert!(!told.err.contains('\u{1b}'), "{:?}", told.err);
}

#[test]
fn serve_says_where_and_ends_on_sigterm() {
    let home = home();
    let mut service = TestService::start(THE_LOOP, &home);
    assert!(service.address().starts_with("http://127.0.0.1:"), "{}", service.address());
    assert!(service.address().ends_with("/#/standing"), "{}", service.address());
    assert_eq!(service.http().get("/api/v1/standing-sessions").json(), json!([]));
    assert_eq!(service.stop().code(), Some(0), "{}", service.log());
}

#[test]
fn serve_refuses_to_be_exposed_unasked() {
    let home = home();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let told = run(&home, &["serve", "--host", host, "--port", "0"]);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{}", told.err);
        assert!(told.err.contains("service.exposed"), "{}", told.err);
    }
}

#[test]
fn serve_names_a_port_that_is_taken() {
    let home = home();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let told = run(&home, &["serve", "--port", &port]);
    assert_eq!((told.code, told.out.as_str()), (1, ""), "{}", told.err);
    assert!(told.err.contains(&format!("port {port}")) && told.err.contains("--port"), "{}", told.err);
}
