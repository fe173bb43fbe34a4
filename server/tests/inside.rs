//! Agents do not control sessions: what a caller may do that runs inside one, by whatever way it asks.

use std::process::{Command, Output};

use serde_json::{Value, json};
use standing::Outcome;
use testkit::{TestHome, TestService, wait_for};

use crate::app::{SESSIONS, THE_LOOP};

const KEY: &str = "standingSessions.agentsMayControl: true";

fn home() -> TestHome {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let report = home.the_loop().standing().create(&standing::CreateRequest::named("ops")).expect("created");
    assert_eq!(report.sessions[0].outcome, Some(Outcome::Started), "{report:?}");
    home
}

fn runs(home: &TestHome) -> bool {
    home.the_loop().standing().get("ops").expect("a row").running
}

/// A command of an agent in the session `ops`: what it starts inherits the marks.
fn by_an_agent(home: &TestHome, program: &str) -> Command {
    let mut command = home.command(program);
    command.env("THE_LOOP_ID", "7").env("THE_LOOP_SESSION", "ops");
    command
}

fn the_loop(home: &TestHome, args: &[&str]) -> Output {
    by_an_agent(home, THE_LOOP).args(args).output().expect("it runs")
}

#[track_caller]
fn refused(output: &Output, what: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
    assert!(told.contains(KEY) && told.contains("`ops`"), "{what}: {told}");
    assert!(told.contains("a terminal outside all sessions"), "{what}: {told}");
}

#[test]
fn an_agent_may_look_and_say_and_control_nothing_by_the_command_line() {
    let home = home();
    for args in [
        &["standing", "stop", "ops"][..],
        &["standing", "stop", "--all"],
        &["standing", "start", "--all"],
        &["standing", "start", "ops"],
        &["standing", "restart", "ops"],
        &["standing", "delete", "ops", "--yes"],
        &["standing", "create", "another", "--no-start"],
        &["standing", "answer", "ops", "1"],
        &["standing", "say", "ops", "hello", "--force"],
        &["stop"],
        &["stop", "--service-only"],
        &["restart"],
        &["start"],
        &["start", "--sessions-only"],
        &["service", "install"],
        &["service", "uninstall"],
    ] {
        refused(&the_loop(&home, args), &args.join(" "));
    }
    for args in [
        &["standing", "list"][..],
        &["standing", "get", "ops"],
        &["standing", "say", "ops", "hello"],
        &["plan"],
        &["events"],
        &["service", "print"],
    ] {
        let output = the_loop(&home, args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    }
    // What it waits for may be read; choosing an answer is an operator's act.
    let question = the_loop(&home, &["standing", "answer", "ops"]);
    assert!(!String::from_utf8_lossy(&question.stderr).contains(KEY), "{question:?}");
    assert!(runs(&home));
    home.reconfigure("/standingSessions/agentsMayControl", json!(true));
    let allowed = the_loop(&home, &["standing", "stop", "ops"]);
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    assert!(!runs(&home));
}

#[test]
fn an_agent_that_takes_its_marks_off_is_known_by_its_ancestors() {
    let home = home();
    let script = format!("env -u THE_LOOP_ID -u THE_LOOP_SESSION {THE_LOOP} standing stop ops; exit $?");
    refused(&by_an_agent(&home, "bash").args(["-c", &script]).output().expect("bash runs"), "unset");
    let script = format!("env -i PATH=\"$PATH\" HOME=\"$HOME\" {THE_LOOP} standing stop ops; exit $?");
    refused(&by_an_agent(&home, "bash").args(["-c", &script]).output().expect("bash runs"), "empty");
    assert!(runs(&home));
}

#[test]
fn a_real_session_cannot_stop_another() {
    let home = home();
    let told = home.path().join("told");
    let script = format!("{THE_LOOP} standing stop ops > {0}.tmp 2>&1; mv {0}.tmp {0}; sleep 600", told.display());
    home.reconfigure("/routing/harnesses/rebel", json!({ "command": ["sh", "-c", script] }));
    let request = standing::CreateRequest { harness: "rebel".to_owned(), ..standing::CreateRequest::named("rebel") };
    home.the_loop().standing().create(&request).expect("created");
    let told = wait_for("the agent's command to end", || std::fs::read_to_string(&told).ok());
    assert!(told.contains("`rebel`") && told.contains(KEY), "{told}");
    assert!(runs(&home));
    // The operator, who is in no session, may.
    let stopped = home.command(THE_LOOP).args(["standing", "stop", "rebel"]).output().expect("it runs");
    assert_eq!(stopped.status.code(), Some(0), "{stopped:?}");
}

/// Runs `curl` as the agent or as the operator, and returns the status and the body of the answer.
fn curl(command: Command, args: &[&str]) -> (u16, String) {
    let mut command = command;
    command.args(["--silent", "--write-out", "\n%{http_code}"]).args(args);
    let output = command.output().expect("curl runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (body, status) = text.rsplit_once('\n').expect("a status");
    (status.parse().expect("a number"), body.to_owned())
}

#[test]
fn an_agent_controls_nothing_over_rest_the_socket_and_the_page() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    let socket = home.project().join(".the-loop/local/service.sock").display().to_string();
    let (port, unix) = (format!("http://{authority}"), "http://localhost".to_owned());
    let json_type = "content-type: application/json";
    for (base, way) in [(&port, vec![]), (&unix, vec!["--unix-socket", socket.as_str()])] {
        let ask = |path: &str, body: &Value| {
            let (address, body) = (format!("{base}{SESSIONS}{path}"), body.to_string());
            let args = [way.as_slice(), &["-H", json_type, "-d", &body, &address]].concat();
            curl(by_an_agent(&home, "curl"), &args)
        };
        for (path, body) in [
            ("/control", json!({ "name": "ops", "verb": "stop" })),
            ("/control", json!({ "name": "", "verb": "stop" })),
            ("/control", json!({ "name": "ops", "verb": "restart" })),
            ("/control", json!({ "name": "ops", "verb": "start" })),
            ("/create", json!({ "name": "another" })),
            ("/delete", json!({ "name": "ops" })),
            ("/answer", json!({ "name": "ops", "choice": "1" })),
            ("/say", json!({ "name": "ops", "text": "hello", "force": true })),
        ] {
            let (status, told) = ask(path, &body);
            assert!(status == 403 && told.contains(KEY), "{base}{path} {body}: {status} {told}");
        }
        let (status, told) = ask("/say", &json!({ "name": "ops", "text": "hello" }));
        assert!(status == 200 && told.contains("submitted"), "{status} {told}");
        let address = format!("{base}{SESSIONS}");
        let list = [way.as_slice(), &[address.as_str()]].concat();
        assert_eq!(curl(by_an_agent(&home, "curl"), &list).0, 200);
    }
    for (verb, form) in [("stop", "name=ops"), ("stop", "all=true"), ("delete", "name=ops"), ("create", "form[name]=x")]
    {
        let (status, told) = curl(by_an_agent(&home, "curl"), &["-d", form, &format!("{port}/app/standing/{verb}")]);
        assert!(status == 403 && told.contains(KEY), "{verb}: {status} {told}");
    }
    let outside = ["-H", json_type, "-d", r#"{"name":"ops","verb":"stop"}"#, &format!("{port}{SESSIONS}/control")];
    // By way of the command line the agent is known here, where it runs.
    refused(&the_loop(&home, &["--service", &port, "standing", "stop", "ops"]), "--service");
    assert!(runs(&home));
    // These tests may themselves be run from inside a session: then the operator's own call would be refused.
    if std::env::var_os("THE_LOOP_ID").is_none() {
        assert_eq!(curl(home.command("curl"), &outside).0, 200);
        assert!(!runs(&home));
    }
}

#[test]
fn a_caller_that_does_not_wait_to_be_known_gets_nothing_done() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    let (host, port) = authority.split_once(':').expect("an authority");
    let request = service.http().posting(&format!("{SESSIONS}/control"), &json!({ "name": "ops", "verb": "stop" }));
    let script = format!("exec 3<>/dev/tcp/{host}/{port}; printf '%s' \"$REQUEST\" >&3");
    for _ in 0..20 {
        let sent = by_an_agent(&home, "bash").args(["-c", &script]).env("REQUEST", &request).status();
        assert!(sent.expect("bash runs").success());
    }
    assert_eq!(service.http().get("/health").status, 200);
    drop(service);
    assert!(runs(&home));
}

#[test]
fn a_service_that_was_started_inside_a_session_serves_its_operator() {
    let home = home();
    let service = TestService::start_with(THE_LOOP, &home, |command| {
        command.env("THE_LOOP_ID", "7").env("THE_LOOP_SESSION", "ops");
    });
    if std::env::var_os("THE_LOOP_ID").is_some() {
        return;
    }
    let stopped = service.http().post(&format!("{SESSIONS}/control"), &json!({ "name": "ops", "verb": "stop" }));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    assert!(!runs(&home));
}
