//! `the-loop selftest`: it proves what it says, fails where that is not so, and leaves nothing behind either way.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use testkit::{TestHome, assert_nothing_spawned, marked, wait_for};

use crate::app::{Said, THE_LOOP};

/// A home, and the folder that its selftests happen in.
fn home() -> (TestHome, PathBuf) {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let place = home.path().join("tmp");
    fs::create_dir(&place).expect("made");
    (home, place)
}

fn selftest(home: &TestHome, place: &PathBuf, path: Option<&str>) -> Command {
    let mut command = home.command(THE_LOOP);
    command.args(["selftest", "--format", "json"]).env("TMPDIR", place).stdin(Stdio::null());
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command
}

/// The steps with whether each succeeded, and what the last one but `clean` said.
#[track_caller]
fn run(path: Option<&str>, home: &TestHome, place: &PathBuf) -> (Vec<(String, bool)>, String, i32) {
    let said = assert_nothing_spawned(home, || Said::of(&selftest(home, place, path).output().expect("runs")));
    told(&said, place)
}

#[track_caller]
fn told(said: &Said, place: &PathBuf) -> (Vec<(String, bool)>, String, i32) {
    let report: Value = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:#?}"));
    let steps = report["steps"].as_array().expect("steps");
    assert_eq!(report["ok"], steps.iter().all(|step| step["ok"] == true), "{report:#}");
    assert!(fs::read_dir(place).expect("there").next().is_none(), "its folder is gone");
    let short = |step: &Value| (step["step"].as_str().expect("a name").to_owned(), step["ok"] == true);
    let last = steps[steps.len().saturating_sub(2)]["detail"].as_str().expect("text").to_owned();
    (steps.iter().map(short).collect(), last, said.code)
}

fn expected(steps: &[(&str, bool)]) -> Vec<(String, bool)> {
    steps.iter().map(|(name, ok)| ((*name).to_owned(), *ok)).collect()
}

/// A PATH with another `tmux` first.
fn other_tmux(home: &TestHome, script: &str) -> String {
    let folder = home.path().join("other-tmux");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("tmux"), format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(folder.join("tmux"), fs::Permissions::from_mode(0o755)).expect("set");
    format!("{}:{}", folder.display(), real_path())
}

fn real_path() -> String {
    std::env::var("PATH").expect("a PATH")
}

#[test]
fn every_step_succeeds_and_nothing_of_it_is_left() {
    let (home, place) = home();
    let (steps, _, code) = run(None, &home, &place);
    let all = ["create", "say", "stop", "start", "delete", "clean"].map(|name| (name, true));
    assert_eq!((steps, code), (expected(&all), 0));
    // Neither records nor events of the operator's, nor conversations in his home.
    assert!(!home.records().exists() && home.events().is_empty());
    assert!(fs::read_dir(home.home()).expect("there").next().is_none());
    let mut command = home.command(THE_LOOP);
    let text = Said::of(&command.arg("selftest").env("TMPDIR", &place).output().expect("runs"));
    assert!(
        text.code == 0 && text.out.contains("confirmed by the transcript") && text.out.contains("passed in"),
        "{text:#?}"
    );
    assert_eq!(text.out.lines().count(), 7, "a line for each step and one for all");
}

#[test]
fn a_machine_without_tmux_fails_it() {
    let (home, place) = home();
    let (steps, why, code) = run(Some("/no/such"), &home, &place);
    assert_eq!((steps, code), (expected(&[("create", false), ("clean", true)]), 1));
    assert!(why.contains("install tmux"), "{why}");
}

#[test]
fn a_message_that_goes_nowhere_fails_it() {
    let (home, place) = home();
    // The real one, but that what is pasted is lost.
    let script = format!("case \"$*\" in *paste-buffer*) exit 0;; esac\nPATH='{}' exec tmux \"$@\"", real_path());
    let (steps, why, code) = run(Some(&other_tmux(&home, &script)), &home, &place);
    assert_eq!((steps, code), (expected(&[("create", true), ("say", false), ("clean", true)]), 1), "{why}");
}

#[test]
fn one_that_is_interrupted_tidies_up_first() {
    // The terminal closed, Ctrl-C, Ctrl-\ and a plain kill.
    for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM] {
        interrupted_by(signal);
    }
}

#[track_caller]
fn interrupted_by(signal: Signal) {
    let (home, place) = home();
    // Never answers.
    let path = other_tmux(&home, "exec sleep 600");
    let child =
        selftest(&home, &place, Some(&path)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    wait_for("a question to tmux", || marked(home.marker()).iter().any(|(_, line)| line == "sleep 600").then_some(()));
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a pid fits")), signal).expect("it lives");
    let said = Said::of(&child.wait_with_output().expect("it ends"));
    let (steps, why, code) = told(&said, &place);
    assert_eq!((steps.first().cloned(), code), (Some(("create".to_owned(), false)), 1), "{signal}: {}", json!(steps));
    assert!(why.contains("cancelled"), "{why}");
    assert_eq!(marked(home.marker()), Vec::new(), "{signal}");
}
