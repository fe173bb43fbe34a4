//! Findings of doctor that occur in practice, and the messages of verbs that cannot reach a session.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::{Duration, SystemTime},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use standing::{ControlVerb, Finding, Outcome, PlannedAction, Severity, State, TheLoop};
use testkit::{PrivateTmux, TestHome, wait_for};

use crate::scene::{agents, builder, control, create, delete, home, outcome, record, record_file, say, state};

const DAY: Duration = Duration::from_hours(24);

fn put(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(file, text).expect("written");
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("set");
}

#[track_caller]
fn found(the_loop: &TheLoop, part: &str) -> Finding {
    let findings = the_loop.doctor();
    let found = findings.iter().find(|finding| finding.what.contains(part)).cloned();
    found.unwrap_or_else(|| panic!("no finding has {part:?}: {findings:#?}"))
}

fn silent(the_loop: &TheLoop, part: &str) {
    let findings = the_loop.doctor();
    assert!(!findings.iter().any(|finding| finding.what.contains(part)), "{part:?} in {findings:#?}");
}

/// A record of a Claude Code session that is stopped, and its transcript's file.
fn claude_session(home: &TestHome) -> std::path::PathBuf {
    let cwd = home.work().canonicalize().expect("there");
    let text = json!({
        "name": "c", "harness": "claude", "harnessSessionId": "11111111-2222-4333-8444-555555555555", "cwd": cwd,
        "status": "stopped", "phase": "stopped", "format": 1, "loopId": "l", "createdAt": "2026-01-02T03:04:05Z",
        "startedAt": "2026-01-02T03:04:05Z",
    });
    put(&record_file(home, "c"), &text.to_string());
    let folder: String =
        cwd.display().to_string().chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
    home.home().join(".claude/projects").join(folder).join("11111111-2222-4333-8444-555555555555.jsonl")
}

#[test]
fn doctor_tells_when_a_transcript_is_gone_or_about_to_be_removed() {
    let home = home();
    let the_loop = home.the_loop();
    let transcript = claude_session(&home);
    put(&home.path().join("bin/claude"), "#!/bin/sh\nsleep 600\n");
    let settings = home.home().join(".claude/settings.json");
    let aged = |days: u32| {
        put(&transcript, "{}\n");
        let file = File::options().write(true).open(&transcript).expect("opened");
        file.set_modified(SystemTime::now() - DAY * days).expect("set");
    };
    aged(3);
    silent(&the_loop, "transcript");
    aged(29);
    assert_eq!(found(&the_loop, "deletes it after 30 days").severity, Severity::Notice);
    aged(31);
    assert_eq!(found(&the_loop, "last written 31 days ago").severity, Severity::Hazard);
    put(&settings, r#"{"cleanupPeriodDays": 3650}"#);
    silent(&the_loop, "transcript");
    put(&settings, r#"{"cleanupPeriodDays": 0}"#);
    found(&the_loop, "set to keep no transcripts");
    put(&settings, "{}");
    fs::remove_file(&transcript).expect("removed");
    found(&the_loop, "is missing");
}

#[test]
fn plan_says_that_a_transcript_is_gone() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    say(&the_loop, "x").expect("said");
    control(&the_loop, "x", ControlVerb::Stop).expect("stopped");
    let plan = || the_loop.standing().plan().expect("a plan").remove(0);
    assert_eq!(plan().action, PlannedAction::Resume);
    silent(&the_loop, "transcript");
    fs::remove_dir_all(home.home().join(".the-loop-demo")).expect("removed");
    let planned = plan();
    assert_eq!(planned.action, PlannedAction::Start);
    assert!(planned.detail.contains("is missing"), "{planned:?}");
    found(&the_loop, "is missing");
}

#[test]
fn doctor_tells_where_a_program_is_that_path_does_not_lead_to() {
    let home = home();
    let here = home.surroundings();
    let path = here.var("PATH").expect("a path").to_string_lossy().into_owned();
    let with = |path: &str| TheLoop::open_in(None, home.surroundings().with_var("PATH", path), "test");
    found(&with(&format!("~/bin:{path}")), "literal ~/bin");
    silent(&with(&path), "literal");
    home.reconfigure("/routing/defaultHarness", json!("claude"));
    for folder in [".claude/local", ".local/bin", ".npm-global/bin", ".nvm/versions/node/v22.1.0/bin"] {
        let program = home.home().join(folder).join("claude");
        put(&program, "#!/bin/sh\n");
        let finding = found(&with("/usr/bin:/bin"), "not on PATH");
        assert!(
            finding.what.contains(&program.display().to_string()) && finding.remedy.contains("export PATH"),
            "{finding:?}"
        );
        fs::remove_file(&program).expect("removed");
    }
}

#[test]
fn doctor_has_a_notice_that_the_published_program_does_not_know_the_socket() {
    let home = home();
    // Every test home sets the key.
    let notice = found(&home.the_loop(), "the published Python program does not know this key");
    assert_eq!((notice.severity, notice.place.as_str()), (Severity::Notice, "`routing.tmux.socket`"));
    put(&home.path().join("other/the-loop"), "#!/usr/bin/env python3\n");
    let here = home.surroundings();
    let path = here.var("PATH").expect("a path").to_string_lossy().into_owned();
    let both = format!("{}:{path}", home.path().join("other").display());
    let the_loop = TheLoop::open_in(None, here.with_var("PATH", both), "test");
    found(&the_loop, "other/the-loop is a different program of the same name, and it does not know this key");
}

/// Waits for the end of an agent that was killed. A list and a look may differ while it happens.
fn ends(the_loop: &TheLoop, name: &str) {
    let ended = || the_loop.standing().get(name).expect("a row").state == State::Ended;
    wait_for("its end", || ended().then_some(()));
    assert_eq!(state(the_loop, name), State::Ended);
}

#[test]
fn stop_names_the_other_panes_that_it_closed() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    home.tmux().run(&["split-window", "-d", "-t", "=loop-standing-x:", "sleep 600"]);
    let (stopped, detail) = outcome(control(&the_loop, "x", ControlVerb::Stop));
    assert!(
        stopped == Some(Outcome::Stopped)
            && detail.contains("also closed other panes of its tmux session: sleep (pid "),
        "{detail}"
    );
    create(&the_loop, "y");
    home.tmux().run(&["new-window", "-d", "-t", "=loop-standing-y:", "sleep 600"]);
    kill(Pid::from_raw(agents(&home)[0]), Signal::SIGKILL).expect("it lives");
    ends(&the_loop, "y");
    let (stopped, detail) = outcome(control(&the_loop, "y", ControlVerb::Stop));
    assert!(
        stopped == Some(Outcome::Stopped)
            && detail.contains("also closed other panes of its tmux session: sleep (pid "),
        "{detail}"
    );
}

#[test]
fn a_refused_message_advises_what_works() {
    let home = home();
    let the_loop = home.the_loop();
    for (name, change) in [
        ("renamed", vec!["rename-session", "-t", "=loop-standing-renamed", "mine"]),
        ("deserted", vec!["split-window", "-d", "-t", "=loop-standing-deserted:", "sleep 600"]),
    ] {
        create(&the_loop, name);
        home.tmux().run(&change);
        if name == "deserted" {
            kill(Pid::from_raw(agents(&home)[0]), Signal::SIGKILL).expect("it lives");
            ends(&the_loop, name);
        }
        let error = say(&the_loop, name).expect_err("refused").problem().detail;
        let advice = format!("`the-loop standing stop {name}` and start it with `the-loop standing start {name}`");
        assert!(error.contains(&advice), "{error}");
        assert_eq!(outcome(control(&the_loop, name, ControlVerb::Stop)).0, Some(Outcome::Stopped), "{name}");
        let (started, detail) = outcome(control(&the_loop, name, ControlVerb::Start));
        assert!(matches!(started, Some(Outcome::Started | Outcome::Resumed)), "{name}: {detail}");
        assert_eq!(outcome(delete(&the_loop, name)).0, Some(Outcome::Deleted));
    }
}

#[test]
fn sessions_on_the_server_of_another_socket_are_one_story_and_leave_no_pane() {
    let home = builder().build();
    let the_loop = home.the_loop();
    let other = PrivateTmux::new();
    for name in ["a", "b", "c"] {
        create(&the_loop, name);
    }
    let before = home.tmux().name().to_owned();
    home.reconfigure("/routing/tmux/socket", json!(other.name()));
    for name in ["a", "b", "c"] {
        assert_eq!(state(&the_loop, name), State::Orphaned, "{name}");
        assert!(say(&the_loop, name).expect_err("refused").problem().detail.contains("standing stop"));
    }
    assert_eq!(outcome(control(&the_loop, "a", ControlVerb::Start)).0, Some(Outcome::Failed));
    assert_eq!(outcome(control(&the_loop, "a", ControlVerb::Stop)).0, Some(Outcome::Stopped));
    control(&the_loop, "b", ControlVerb::Restart).expect("restarted");
    assert_eq!(outcome(delete(&the_loop, "c")).0, Some(Outcome::Deleted));
    control(&the_loop, "a", ControlVerb::Start).expect("started");
    assert_eq!(home.tmux().sessions(), Vec::<String>::new(), "no dead pane stays on the old server");
    assert_eq!(agents(&home).len(), 2);
    home.reconfigure("/routing/tmux/socket", json!(before));
    for name in ["a", "b"] {
        assert_eq!(state(&the_loop, name), State::Orphaned, "{name} lives, and is not said to have ended");
        assert_eq!(outcome(control(&the_loop, name, ControlVerb::Start)).0, Some(Outcome::Failed));
        assert_eq!(outcome(control(&the_loop, name, ControlVerb::Stop)).0, Some(Outcome::Stopped));
        assert_eq!(record(&home, name)["phase"], "stopped");
    }
    assert_eq!((agents(&home), other.sessions()), (vec![], vec![]));
}

#[test]
fn what_a_killed_writer_left_is_swept_and_what_is_being_written_is_not() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "x");
    let launch = home.records().join(".launch");
    let namespace = std::os::unix::fs::MetadataExt::ino(&fs::metadata("/proc/self/ns/pid").expect("there"));
    // No process has a pid that high.
    let left = launch.join(format!(".writing-{namespace}-4194999-abc"));
    let alive = launch.join(format!(".writing-{namespace}-{}-abc", std::process::id()));
    let elsewhere = launch.join(".writing-1-4194999-abc");
    for file in [&left, &alive, &elsewhere] {
        fs::write(file, "x").expect("written");
    }
    create(&the_loop, "y");
    assert_eq!((left.exists(), alive.exists(), elsewhere.exists()), (false, true, true));
}
