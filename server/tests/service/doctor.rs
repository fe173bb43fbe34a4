//! `the-loop doctor`: real hazards, each made in a home of its own and found; and none where there is none.

mod folder;
mod tmux;

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use testkit::{TestHome, TestHomeBuilder, assert_nothing_spawned, wait_for};

use super::Home;
use crate::app::{Said, THE_LOOP};

fn builder() -> TestHomeBuilder {
    // The port of the default config may be taken by a service of whoever runs this test.
    TestHome::builder().exe(THE_LOOP).set("/service/enabled", json!(false))
}

fn doctor(home: &Home, adjust: impl FnOnce(&mut Command)) -> (Vec<Value>, i32) {
    let mut command = home.home.command(THE_LOOP);
    command.args(["doctor", "--format", "json"]).stdin(Stdio::null());
    adjust(&mut command);
    findings(&Said::of(&command.output().expect("the binary runs")))
}

/// Returns the findings and the exit status.
fn findings(said: &Said) -> (Vec<Value>, i32) {
    let told: Value = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:#?}"));
    let findings = told["findings"].as_array().expect("findings").clone();
    let found = findings.iter().any(|finding| finding["severity"] == "hazard");
    assert_eq!(told["ok"], !found, "{told:#}");
    // The unit that this test itself may run in is not what it is about.
    (findings.into_iter().filter(|finding| finding["check"] != "systemd").collect(), said.code)
}

fn severe(findings: &[Value]) -> Vec<&Value> {
    findings.iter().filter(|finding| finding["severity"] == "hazard").collect()
}

/// The one hazard there is, which must be of that check and say all of this somewhere.
#[track_caller]
fn only(home: &Home, adjust: impl FnOnce(&mut Command), check: &str, parts: &[&str]) {
    let (findings, code) = doctor(home, adjust);
    let hazards = severe(&findings);
    assert!(code == 1 && hazards.len() == 1 && hazards[0]["check"] == check, "{code} {hazards:#?}");
    told(hazards[0], parts);
}

#[track_caller]
fn told(finding: &Value, parts: &[&str]) {
    let text = ["place", "what", "remedy"].map(|key| finding[key].as_str().expect("text")).join("\n");
    for part in parts {
        assert!(text.contains(part), "`{part}` in: {text}");
    }
}

#[track_caller]
fn sound(home: &Home) {
    let (findings, code) = doctor(home, nothing);
    assert_eq!((severe(&findings), code), (Vec::new(), 0));
}

#[test]
fn a_notice_about_the_config_is_shown_and_the_exit_status_stays_0() {
    let home = Home::of(builder().build());
    let (findings, code) = doctor(&home, nothing);
    let notice = findings.iter().find(|finding| finding["check"] == "config").expect("every test home sets a socket");
    assert_eq!((notice["severity"].as_str(), code), (Some("notice"), 0), "{findings:#?}");
    told(notice, &["`routing.tmux.socket`", "does not know this key", "second process on the same conversation"]);
}

fn nothing(_: &mut Command) {}

/// A variable, set for the doctor alone.
fn with(key: &str, value: impl AsRef<OsStr>) -> impl Fn(&mut Command) {
    move |command| {
        command.env(key, value.as_ref());
    }
}

/// Every file below a folder, with when it was changed.
fn files(folder: &Path, found: &mut BTreeMap<PathBuf, SystemTime>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let meta = entry.path().symlink_metadata().expect("there");
        found.insert(entry.path(), meta.modified().expect("a time"));
        if meta.is_dir() {
            files(&entry.path(), found);
        }
    }
}

#[test]
fn a_sound_machine_has_none_and_nothing_is_changed() {
    let home = builder().set("/service/enabled", json!(true)).declare(json!({ "name": "ops" })).build();
    let home = Home::of(home);
    home.start();
    let project = home.home.project();
    let seen = || {
        let mut found = BTreeMap::new();
        files(&project, &mut found);
        files(&home.home.home(), &mut found);
        found
    };
    // The agent writes as well, until its first turn is over.
    let answered = |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains("\"assistant\""));
    wait_for("its first turn to end", || seen().keys().any(answered).then_some(()));
    let before = seen();
    assert_nothing_spawned(&home.home, || sound(&home));
    assert_eq!(seen(), before);
    let text = home.run(&["doctor"]);
    assert!(text.code == 0 && text.out.contains("no hazards found"), "{text:#?}");
    home.run(&["stop"]);
    // Without a service and a tmux server there is nothing amiss either; nor before anything was ever started.
    home.home.reconfigure("/service/enabled", json!(false));
    sound(&home);
    sound(&Home::of(builder().build()));
}

#[test]
fn a_config_that_cannot_be_used_is_told_beside_the_rest() {
    let home = Home::of(builder().build());
    home.home.reconfigure("/standingSessions", json!(7));
    let (findings, code) = doctor(&home, with("LC_ALL", "C"));
    let checks: Vec<&Value> = severe(&findings).iter().map(|finding| &finding["check"]).collect();
    assert_eq!((checks, code), (vec![&json!("config"), &json!("locale")], 2));
}

#[test]
fn a_locale_that_is_not_utf_8() {
    let home = Home::of(builder().build());
    only(&home, with("LC_ALL", "C"), "locale", &["LC_ALL", "`C`", "LC_ALL=C.UTF-8"]);
    only(&home, |command| _ = command.env_remove("LANG"), "locale", &["no UTF-8 locale is set", "LANG=C.UTF-8"]);
}

#[test]
fn a_harness_that_is_not_there() {
    let home = builder()
        .declare(json!({ "name": "ops", "harness": "gone" }))
        .declare(json!({ "name": "two", "harness": "gone" }));
    let gone = json!({ "command": ["no-such-program"], "newArgs": [] });
    let home = Home::of(home.set("/routing/harnesses/gone", gone).build());
    only(&home, nothing, "harness", &["`ops`", "`two`", "`no-such-program` was not found on PATH", "install it"]);
    home.home.reconfigure("/standingSessions/sessions", json!([]));
    sound(&home);
    home.home.reconfigure("/routing/defaultHarness", json!("gone"));
    only(&home, nothing, "harness", &["the default harness", "routing.defaultHarness"]);
}

#[test]
fn a_session_that_could_not_be_started() {
    let home = builder().declare(json!({ "name": "ops", "cwd": "/no/such/folder" }));
    let home = Home::of(home.build());
    only(&home, nothing, "session", &["`ops`", "/no/such/folder", "`cwd`"]);
    home.home.reconfigure("/standingSessions/sessions", json!([{ "name": "ops", "promptFile": "no-such.md" }]));
    only(&home, nothing, "session", &["`ops`", "no-such.md", "`promptFile`"]);
    home.home.reconfigure("/standingSessions/sessions", json!([{ "name": "ops" }]));
    home.home.tmux().start_foreign("loop-standing-ops");
    only(&home, nothing, "session", &["`ops`", "not managed by the-loop", "tmux attach -r -t"]);
}

#[test]
fn a_session_that_was_renamed_behind_our_back() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops"]);
    home.home.tmux().run(&["rename-session", "-t", "=loop-standing-ops", "mine"]);
    only(&home, nothing, "session", &["`ops`", "the session was renamed", "the-loop standing stop ops"]);
    home.home.tmux().run(&["rename-session", "-t", "=mine", "loop-standing-ops"]);
    sound(&home);
    home.run(&["standing", "delete", "ops", "--yes"]);
}

#[test]
fn trust_that_cannot_be_written_or_is_not_to_be() {
    let home = Home::of(builder().set("/routing/defaultHarness", json!("claude")).build());
    let agent = home.home.path().join("bin/claude");
    fs::write(&agent, "#!/bin/sh\nexec sleep 600\n").expect("written");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("set");
    let path = format!("{}:{}", home.home.path().join("bin").display(), std::env::var("PATH").expect("a PATH"));
    let with_agent = || with("PATH", &path);
    let (findings, code) = doctor(&home, with_agent());
    assert_eq!((severe(&findings), code), (Vec::new(), 0), "the next start writes it");
    let trust = home.home.home().join(".claude.json");
    assert!(!trust.exists());
    home.home.reconfigure("/routing/harnessTrust/enabled", json!(false));
    only(&home, with_agent(), "trust", &["`claude`", "not trusted", "routing.harnessTrust.enabled"]);
    let work = home.home.work().canonicalize().expect("there");
    let given = json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
    let answered = json!({ "hasCompletedOnboarding": true, "projects": { (work.to_str().expect("UTF-8")): given } });
    fs::write(&trust, answered.to_string()).expect("written");
    let (findings, code) = doctor(&home, with_agent());
    assert_eq!((severe(&findings), code), (Vec::new(), 0), "somebody answered it by hand");
    home.home.reconfigure("/routing/harnessTrust/enabled", json!(true));
    fs::write(&trust, "{ half").expect("written");
    only(&home, with_agent(), "trust", &[".claude.json", "fix that file"]);
    assert_eq!(fs::read_to_string(&trust).expect("there"), "{ half");
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let home = Home::of(builder().set("/service/enabled", json!(true)).set("/service/port", json!(port)).build());
    let me = format!("(pid {})", std::process::id());
    only(&home, nothing, "port", &[&format!("port {port}"), &me, "service.port"]);
    drop(taken);
    sound(&home);
    let everywhere = TcpListener::bind(("0.0.0.0", port)).expect("free again");
    only(&home, nothing, "port", &[&me]);
    drop(everywhere);
}

#[test]
fn a_service_that_does_not_do_what_it_should() {
    let home = Home::of(builder().set("/service/enabled", json!(true)).build());
    let agent = home.home.path().join("bin/agent-of-mine");
    fs::copy(home.home.path().join("bin/echoer"), &agent).expect("copied");
    home.home.reconfigure("/routing/harnesses/mine", json!({ "command": ["agent-of-mine"], "newArgs": [] }));
    home.start();
    home.run(&["standing", "create", "ops", "--harness", "mine", "--no-start"]);
    let path = format!("{}:{}", home.home.path().join("bin").display(), std::env::var("PATH").expect("a PATH"));
    let with_agent = || with("PATH", &path);
    only(&home, with_agent(), "service", &["the program of mine is on your PATH", "the-loop restart --service-only"]);
    home.run(&["standing", "delete", "ops", "--yes"]);
    sound(&home);
    let pid = Pid::from_raw(i32::try_from(home.pid()).expect("a pid fits"));
    kill(pid, Signal::SIGSTOP).expect("it lives");
    let (findings, code) = doctor(&home, nothing);
    kill(pid, Signal::SIGCONT).expect("it lives");
    assert_eq!((severe(&findings).len(), code), (1, 1), "{findings:#?}");
    told(severe(&findings)[0], &[&format!("(pid {pid})"), "no answer at"]);
}

#[test]
fn a_name_beyond_this_machine_without_a_token_is_a_hazard() {
    let names = |names: Value, mode: &str| {
        let builder = builder().set("/service/allowedHosts", names).set("/service/auth/mode", json!(mode));
        Home::of(builder.build())
    };
    let home = names(json!(["localhost:4115", "loop.example", "127.0.0.2"]), "same-user");
    only(&home, |_| (), "access", &["`loop.example`", "cli-config.yaml", "`service.auth.mode: token`"]);
    for sound in [names(json!(["loop.example"]), "token"), names(json!(["localhost:4115", "[::1]:80"]), "same-user")] {
        let (findings, _) = doctor(&sound, |_| ());
        assert!(findings.iter().all(|finding| finding["check"] != "access"), "{findings:#?}");
    }
}
