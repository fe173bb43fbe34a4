//! `the-loop doctor`: real hazards, each made in a home of its own and found; and none where there is none.

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
use testkit::{TestHome, TestHomeBuilder, assert_nothing_spawned};

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
    let said = Said::of(&command.output().expect("the binary runs"));
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
    let before = seen();
    assert_nothing_spawned(&home.home, || sound(&home));
    assert_eq!(seen(), before);
    let text = home.run(&["doctor"]);
    assert!(text.code == 0 && text.out.contains("sound: "), "{text:#?}");
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
    only(&home, |command| _ = command.env_remove("LANG"), "locale", &["no locale is set", "LANG=C.UTF-8"]);
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
    only(&home, nothing, "session", &["`ops`", "did not start", "tmux attach -r -t"]);
}

#[test]
fn a_session_that_was_renamed_behind_our_back() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops"]);
    home.home.tmux().run(&["rename-session", "-t", "=loop-standing-ops", "mine"]);
    only(&home, nothing, "session", &["`ops`", "was the session renamed", "the-loop standing stop ops"]);
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
    only(&home, with_agent(), "trust", &["`claude`", "does not trust", "routing.harnessTrust.enabled"]);
    let work = home.home.work().canonicalize().expect("there");
    let given = json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
    let answered = json!({ "hasCompletedOnboarding": true, "projects": { (work.to_str().expect("UTF-8")): given } });
    fs::write(&trust, answered.to_string()).expect("written");
    let (findings, code) = doctor(&home, with_agent());
    assert_eq!((severe(&findings), code), (Vec::new(), 0), "somebody answered it by hand");
    home.home.reconfigure("/routing/harnessTrust/enabled", json!(true));
    fs::write(&trust, "{ half").expect("written");
    only(&home, with_agent(), "trust", &[".claude.json", "mend that file"]);
    assert_eq!(fs::read_to_string(&trust).expect("there"), "{ half");
}

#[test]
fn a_state_folder_that_others_can_read_or_write() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops", "--no-start"]);
    let root = home.home.project().join(".the-loop");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    sound(&home);
    mode(&root, 0o777);
    let shown = root.display().to_string();
    only(&home, nothing, "permissions", &["run programs as you", &format!("chmod go-w {shown}")]);
    mode(&root, 0o755);
    for (open, word) in [(0o777, "write"), (0o755, "read")] {
        mode(&root.join("local/standing"), open);
        only(&home, nothing, "permissions", &[word, &format!("chmod -R go-rwx {shown}/local/standing")]);
    }
    mode(&root.join("local/standing"), 0o700);
    sound(&home);
    mode(&home.home.config_file(), 0o666);
    only(&home, nothing, "permissions", &["cli-config.yaml", "run programs as you", "chmod go-w"]);
    mode(&home.home.config_file(), 0o600);
    if nix::unistd::geteuid().is_root() {
        nix::unistd::chown(&root.join("logs"), Some(65534.into()), None).expect("root may");
        only(&home, nothing, "permissions", &["another user (uid 65534)", "chown -R 0"]);
    }
}

#[test]
fn a_state_folder_that_cannot_be_made() {
    let home = Home::of(builder().build());
    let blocked = home.home.path().join("blocked");
    fs::write(&blocked, "").expect("written");
    home.home.reconfigure("/state/root", json!(blocked.join("below")));
    let (findings, code) = doctor(&home, nothing);
    let of = |check: &str| severe(&findings).into_iter().filter(|found| found["check"] == check).collect::<Vec<_>>();
    assert_eq!((of("permissions").len(), code), (1, 1), "{findings:#?}");
    told(of("permissions")[0], &["blocked", "no folder", "state.root"]);
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
fn a_socket_that_was_deleted_under_a_live_server() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops"]);
    let asked = home.home.tmux().run(&["display-message", "-p", "#{pid}\t#{socket_path}"]);
    let asked = String::from_utf8(asked.stdout).expect("UTF-8");
    let (pid, socket) = asked.trim().split_once('\t').expect("both");
    fs::remove_file(socket).expect("removed");
    only(&home, nothing, "socket", &[socket, &format!("kill -USR1 {pid}")]);
    kill(Pid::from_raw(pid.parse().expect("a pid")), Signal::SIGUSR1).expect("it lives");
    testkit::wait_for("the socket", || Path::new(socket).exists().then_some(()));
    sound(&home);
    // A server that took its place hides it for good.
    fs::remove_file(socket).expect("removed");
    home.home.tmux().start_foreign("other");
    let (findings, _) = doctor(&home, nothing);
    let hidden = findings.iter().find(|finding| finding["check"] == "socket").expect("a hazard");
    told(hidden, &[&format!("(pid {pid})"), "another server", socket]);
    home.home.tmux().run(&["kill-server"]);
    kill(Pid::from_raw(pid.parse().expect("a pid")), Signal::SIGUSR1).expect("it lives");
    testkit::wait_for("the socket", || Path::new(socket).exists().then_some(()));
    home.run(&["standing", "delete", "ops", "--yes"]);
}

#[test]
fn a_tmux_server_that_was_stopped() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops"]);
    let pid = String::from_utf8(home.home.tmux().run(&["display-message", "-p", "#{pid}"]).stdout).expect("UTF-8");
    let pid = Pid::from_raw(pid.trim().parse().expect("a pid"));
    kill(pid, Signal::SIGSTOP).expect("it lives");
    let (findings, code) = doctor(&home, nothing);
    kill(pid, Signal::SIGCONT).expect("it lives");
    assert_eq!((severe(&findings).len(), code), (1, 1), "{findings:#?}");
    assert_eq!(severe(&findings)[0]["check"], "tmux");
    told(severe(&findings)[0], &["does not answer", &format!("kill -CONT {pid}")]);
    sound(&home);
}

/// A folder with a program called `tmux` in it.
fn other_tmux(home: &Home, script: &str) -> String {
    let folder = home.home.path().join("other-tmux");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("tmux"), script).expect("written");
    fs::set_permissions(folder.join("tmux"), fs::Permissions::from_mode(0o755)).expect("set");
    folder.display().to_string()
}

#[test]
fn a_tmux_that_is_missing_too_old_or_another_one() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops"]);
    only(&home, with("PATH", "/no/such"), "tmux", &["not found", "install tmux"]);
    // A script in its place, with a version of its own and otherwise the real one.
    let path = std::env::var("PATH").expect("a PATH");
    let other = other_tmux(
        &home,
        &format!("#!/bin/sh\ncase \"$*\" in *-V*) echo tmux 2.9a;; *) PATH='{path}' exec tmux \"$@\";; esac\n"),
    );
    let (findings, code) = doctor(&home, with("PATH", format!("{other}:{path}")));
    let hazards = severe(&findings);
    let checks: Vec<&Value> = hazards.iter().map(|finding| &finding["check"]).collect();
    assert_eq!((checks, code), (vec![&json!("tmux"), &json!("version-skew")], 1));
    told(hazards[0], &["2.9a", "too old"]);
    told(hazards[1], &["2.9a", "kill-server", "the-loop start"]);
    // A server of another protocol, by what its client then says.
    let other = other_tmux(
        &home,
        "#!/bin/sh\ncase \"$*\" in *-V*) echo tmux 3.9;; *) echo 'protocol version mismatch (client 8, server 7)' >&2; exit 1;; esac\n",
    );
    only(&home, with("PATH", other), "version-skew", &["3.9", "protocol version mismatch"]);
}

#[test]
fn an_environment_of_the_tmux_server_that_matters() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops"]);
    let set = |key: &str, value: &str| home.home.tmux().run(&["set-environment", "-g", key, value]);
    set("THE_LOOP_SLACK_BOT_TOKEN", "xoxb-secret");
    only(
        &home,
        nothing,
        "environment",
        &["THE_LOOP_SLACK_BOT_TOKEN", "set-environment -g -u THE_LOOP_SLACK_BOT_TOKEN"],
    );
    assert!(!home.run(&["doctor"]).out.contains("xoxb-secret"));
    home.home.tmux().run(&["set-environment", "-g", "-u", "THE_LOOP_SLACK_BOT_TOKEN"]);
    let (before, _) = doctor(&home, nothing);
    assert!(before.iter().all(|finding| finding["check"] != "environment"), "{before:#?}");
    for (key, value, part) in [
        ("CLAUDECODE", "1", "CLAUDECODE"),
        ("PATH", "/bin", "PATH lacks"),
        ("HOME", "/else", "/else"),
        ("LANG", "C", "UTF-8"),
    ] {
        set(key, value);
        let (findings, code) = doctor(&home, nothing);
        let found: Vec<&Value> = findings.iter().filter(|finding| finding["check"] == "environment").collect();
        assert_eq!((code, found.is_empty()), (0, false), "our own sessions are not concerned");
        told(found[found.len() - 1], &[part]);
    }
}

#[test]
fn a_record_that_cannot_be_read_or_is_of_tomorrow() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops", "--no-start"]);
    let path = home.home.records().join("ops.json");
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, &text[..text.len() / 2]).expect("written");
    only(&home, nothing, "record", &["ops.json", "`ops`", "mend the file"]);
    let mut record: Value = serde_json::from_str(&text).expect("JSON");
    record["startedAt"] = json!("2199-01-01T00:00:00Z");
    fs::write(&path, record.to_string()).expect("written");
    only(&home, nothing, "clock", &["`ops`", "2199-01-01T00:00:00Z", "set the clock"]);
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
    only(&home, with_agent(), "service", &["its PATH lacks the program of mine", "the-loop restart --service-only"]);
    home.run(&["standing", "delete", "ops", "--yes"]);
    sound(&home);
    let pid = Pid::from_raw(i32::try_from(home.pid()).expect("a pid fits"));
    kill(pid, Signal::SIGSTOP).expect("it lives");
    let (findings, code) = doctor(&home, nothing);
    kill(pid, Signal::SIGCONT).expect("it lives");
    assert_eq!((severe(&findings).len(), code), (1, 1), "{findings:#?}");
    told(severe(&findings)[0], &[&format!("(pid {pid})"), "does not answer"]);
}
