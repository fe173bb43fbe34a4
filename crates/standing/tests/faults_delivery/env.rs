//! Row 27: the harness gets the environment of the caller that starts it, without nesting markers and without secrets.
//! Secrets are in no command line either.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    os::unix::{ffi::OsStringExt, fs::PermissionsExt},
    path::Path,
};

use serde_json::json;
use standing::{CreateRequest, TheLoop};
use testkit::TestHome;

use crate::stage::{begin, builder, id_of, shows};

/// Marks of a program that would take itself for one inside another, and ours.
const MARKS: [&str; 12] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "TMUX",
    "TMUX_PANE",
    "NOTIFY_SOCKET",
    "LISTEN_FDS",
    "WATCHDOG_USEC",
];

/// Returns the environment variables of a process, by name.
fn environment(pid: u32) -> BTreeMap<String, String> {
    let text = fs::read(format!("/proc/{pid}/environ")).expect("it runs");
    let variables = text.split(|&byte| byte == 0).filter(|variable| !variable.is_empty());
    let pair = |variable: &[u8]| {
        let text = String::from_utf8_lossy(variable);
        let (key, value) = text.split_once('=').unwrap_or((&text, ""));
        (key.to_owned(), value.to_owned())
    };
    variables.map(pair).collect()
}

/// Every process that can be looked at and has that text in its command line or environment.
fn tellers(text: &str) -> Vec<String> {
    let has = |path: &Path| {
        fs::read(path).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    let own = std::process::id().to_string();
    let pids = fs::read_dir("/proc").expect("processes").flatten().map(|entry| entry.path());
    let pids = pids.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.bytes().all(|byte| byte.is_ascii_digit()) && name != own.as_str()
    });
    let files = pids.flat_map(|pid| [pid.join("cmdline"), pid.join("environ")]);
    files.filter(|file| has(file)).map(|file| file.display().to_string()).collect()
}

/// Every file below a folder that has that text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text)) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// A home and a secret that only the surroundings hold.
fn secretive(home: &TestHome) -> (TheLoop, String) {
    let secret = format!("xoxb-{}", uuid::Uuid::new_v4().simple());
    let mut surroundings = home.surroundings();
    for mark in MARKS {
        surroundings = surroundings.with_var(mark, "1");
    }
    for key in ["THE_LOOP_SLACK_BOT_TOKEN", "THE_LOOP_SLACK_APP_TOKEN", "MY_BOT", "MY_APP"] {
        surroundings = surroundings.with_var(key, &secret);
    }
    let kept = [("CLAUDE_CODE_USE_BEDROCK", "1"), ("ANTHROPIC_API_KEY", "kept"), ("TMUX_TMPDIR", "")];
    for (key, value) in kept.into_iter().filter(|(_, value)| !value.is_empty()) {
        surroundings = surroundings.with_var(key, value);
    }
    // As if an agent of another session had started this one.
    surroundings = surroundings.with_var("THE_LOOP_ID", "of-another").with_var("THE_LOOP_SESSION", "another");
    (TheLoop::open_in(None, surroundings, "test"), secret)
}

#[test]
fn row_27_the_harness_gets_no_marks_and_no_secrets_and_nothing_shows_them() {
    let home = builder()
        // The caller runs inside a session, and is let do this.
        .set("/standingSessions/agentsMayControl", json!(true))
        .set("/channels/slack/botTokenEnv", json!("MY_BOT"))
        .set("/channels/slack/appTokenEnv", json!("MY_APP"))
        .build();
    let (the_loop, secret) = secretive(&home);
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    shows(&home, "ops", "You own no work item");
    let found = environment(row.pid.expect("alive"));
    for mark in MARKS {
        assert!(!found.contains_key(mark), "{mark} reached the harness");
    }
    assert_eq!(found.get("CLAUDE_CODE_USE_BEDROCK").map(String::as_str), Some("1"));
    assert_eq!(found.get("ANTHROPIC_API_KEY").map(String::as_str), Some("kept"));
    assert_eq!(found.get("THE_LOOP_SESSION").map(String::as_str), Some("ops"));
    assert_eq!(found.get("THE_LOOP_ID").map(|id| format!("THE_LOOP_ID={id}")), Some(id_of(&home, "ops")));
    assert_eq!(found.get("PWD").map(String::as_str), home.work().to_str());
    // Our start began the tmux server as well, which keeps what it is given for life.
    let server = home.tmux().run(&["display-message", "-p", "#{pid}"]);
    let server = String::from_utf8_lossy(&server.stdout).trim().parse().expect("a pid");
    assert!(!environment(server).contains_key("THE_LOOP_ID"), "the server counts as a process of another session");
    assert_eq!(tellers(&secret), [""; 0]);
    assert_eq!(files_with(home.path(), &secret), [""; 0]);
}

#[test]
fn row_27_the_path_is_the_one_of_now_and_not_the_one_of_the_tmux_server() {
    let home =
        builder().set("/routing/harnesses/fresh", json!({"command": ["fresh-agent"], "sessionId": "none"})).build();
    let bin = home.path().join("fresh bin é");
    fs::create_dir(&bin).expect("a folder");
    let agent = bin.join("fresh-agent");
    fs::write(&agent, "#!/bin/sh\nwhile read -r line; do :; done\n").expect("a file");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("permissions");
    // Somebody else has started the server, with another PATH and a stale variable.
    let old = std::env::var("PATH").expect("a PATH");
    let mut command = home.command("tmux");
    command.args(["-u", "-f", "/dev/null", "-L", home.tmux().name(), "new-session", "-d", "-s", "theirs", "sleep 600"]);
    let made = command.env("STALE", "from the server").env("CLAUDECODE", "1").status().expect("tmux runs");
    assert!(made.success());

    let path = format!("{}:{old}", bin.display());
    let surroundings = home.surroundings().with_var("PATH", &path).with_var("NEW", "line one\nline two = é");
    let the_loop = TheLoop::open_in(None, surroundings, "test");
    let request = CreateRequest { harness: "fresh".to_owned(), ..CreateRequest::named("ops") };
    let row = begin(&the_loop, &request);
    let found = environment(row.pid.expect("alive"));
    assert_eq!(found.get("PATH"), Some(&path));
    assert_eq!(found.get("NEW").map(String::as_str), Some("line one\nline two = é"));
    for stale in ["STALE", "CLAUDECODE"] {
        assert!(!found.contains_key(stale), "{stale} came from the server");
    }
    assert!(home.tmux().sessions().contains(&"theirs".to_owned()));
}

#[test]
fn row_27_a_variable_that_is_no_text_reaches_the_harness_as_it_is() {
    let home = builder().build();
    let mut path = std::env::var_os("PATH").expect("a PATH").into_vec();
    path.extend(b":/caf\xe9/bin");
    let path = OsString::from_vec(path);
    let the_loop = TheLoop::open_in(None, home.surroundings().with_var("PATH", &path), "test");
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let environ = fs::read(format!("/proc/{}/environ", row.pid.expect("alive"))).expect("it runs");
    let mut wanted = b"PATH=".to_vec();
    wanted.extend(path.into_vec());
    assert!(environ.split(|&byte| byte == 0).any(|variable| variable == wanted), "PATH did not arrive");
}
