//! The state folder in the field: below git, in another user's project, removed and made again, and under a caller that
//! holds descriptors.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;
use testkit::TestHome;

use super::Home;
use crate::app::{Said, THE_LOOP};

fn home() -> Home {
    Home::of(TestHome::builder().exe(THE_LOOP).set("/service/port", json!(0)).build())
}

/// A shell in the home, with the program as `$THE_LOOP`.
fn shell(home: &Home, script: &str) -> Said {
    let mut command = home.home.command("/bin/sh");
    command.args(["-c", script]).env("THE_LOOP", THE_LOOP).stdin(Stdio::null());
    Said::of(&command.output().expect("a shell"))
}

#[test]
fn git_sees_nothing_of_the_state_but_the_config() {
    let home = home();
    home.home.reconfigure("/service/auth/mode", json!("token"));
    let said = shell(&home, "git init -q . && $THE_LOOP start --service-only && $THE_LOOP standing create a");
    assert_eq!(said.code, 0, "{said:#?}");
    let listed = shell(&home, "git add -A -n");
    assert_eq!((listed.code, listed.out.as_str()), (0, "add '.the-loop/cli-config.yaml'\n"), "{listed:#?}");
}

#[test]
fn a_folder_that_was_removed_and_made_again_has_one_service() {
    let home = home();
    home.start();
    let pid = home.pid();
    let config = fs::read(home.home.config_file()).expect("the config");
    fs::remove_dir_all(home.home.project().join(".the-loop")).expect("removed");
    fs::create_dir(home.home.project().join(".the-loop")).expect("made");
    fs::write(home.home.config_file(), config).expect("written");

    let (report, code) = home.report(&["start", "--service-only"]);
    let service = &report["services"][0];
    assert_eq!((code, &service["outcome"], &service["pid"]), (0, &json!("already-running"), &json!(pid)), "{report:#}");
    let second = home.run(&["serve"]);
    assert_eq!(second.code, 1, "{second:#?}");
    assert!(second.err.contains(&format!("already running (pid {pid})")), "{second:#?}");
    let (status, _) = home.report(&["status"]);
    let service = &status["services"][0];
    assert_eq!((&service["running"], &service["healthy"]), (&json!(true), &json!(true)), "{status:#}");
    let (stopped, code) = home.report(&["stop", "--service-only"]);
    assert_eq!((code, &stopped["services"][0]["outcome"]), (0, &json!("stopped")), "{stopped:#}");
    let (status, _) = home.report(&["status"]);
    assert_eq!(status["services"][0]["running"], json!(false), "{status:#}");
}

#[test]
fn a_lock_and_a_pipe_of_the_caller_are_free_once_the_command_has_ended() {
    let home = home();
    for command in ["standing create a", "start --service-only", "standing restart a"] {
        let script = format!("( flock -n 9 || exit 9; $THE_LOOP {command} ) 9>lock >&2; flock -n lock true");
        let said = shell(&home, &script);
        assert_eq!(said.code, 0, "{command}: the lock is free: {said:#?}");
    }
    let _ = shell(&home, "$THE_LOOP stop");
    for command in ["standing create b", "start --service-only"] {
        let script = format!("{{ $THE_LOOP {command}; }} 3>&1 >/dev/null | timeout 60 cat");
        let said = shell(&home, &script);
        assert_eq!(said.code, 0, "{command}: the pipe ends: {said:#?}");
    }
    let said =
        shell(&home, "echo 'look after it' > brief; exec 7<brief; $THE_LOOP standing create c --prompt-file /dev/fd/7");
    assert_eq!(said.code, 0, "a descriptor that is named can be read: {said:#?}");
}

/// UID of the project's owner. `STRANGER` is a user who is neither the owner nor root.
const OTHER: u32 = 65534;
const STRANGER: u32 = 65533;

#[test]
fn a_verb_in_the_project_of_another_user_changes_nothing() {
    if !rustix::process::geteuid().is_root() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: only root can make files of another user");
        return;
    }
    for caller in [0, STRANGER] {
        refused_to(caller);
    }
}

/// Runs a command as a user who does not own the project.
fn run_as(home: &Home, caller: u32, args: &[&str]) -> Said {
    let mut command = home.home.command("setpriv");
    command.args([format!("--reuid={caller}"), format!("--regid={caller}"), "--clear-groups".to_owned()]);
    Said::of(&command.arg(THE_LOOP).args(args).stdin(Stdio::null()).output().expect("setpriv runs"))
}

fn refused_to(caller: u32) {
    let home = home();
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
    open(home.home.path());
    home.home.reconfigure("/service/auth/mode", json!("token"));
    let said = home.run(&["standing", "create", "a", "--no-start"]);
    assert_eq!(said.code, 0, "{said:#?}");
    let project = home.home.project();
    open(&project.join(".the-loop"));
    let verbs: [&[&str]; 13] = [
        &["standing", "create", "b"],
        &["standing", "create", "b", "--no-start"],
        &["standing", "start", "a"],
        &["standing", "stop", "a"],
        &["standing", "restart", "a"],
        &["standing", "delete", "a", "--yes"],
        &["standing", "say", "a", "hello"],
        &["standing", "answer", "a", "1"],
        &["standing", "restore", "a"],
        &["start", "--service-only"],
        &["start", "--sessions-only"],
        &["serve"],
        &["open"],
    ];
    // With records, without any, and without a state folder at all.
    for step in ["whole", "without records", "no state folder"] {
        match step {
            "without records" => fs::remove_dir_all(project.join(".the-loop/local")).expect("removed"),
            "no state folder" if caller != 0 => continue,
            "no state folder" => home.home.reconfigure("/state/root", json!("state")),
            _ => {}
        }
        give(&project, OTHER);
        let before = listing(&project);
        for verb in verbs {
            if step != "whole" && verb[0] == "standing" && verb[1] != "create" {
                continue;
            }
            let said = run_as(&home, caller, verb);
            assert_ne!(said.code, 0, "{caller} {step}: {verb:?}: {said:#?}");
            let words = format!("{}{}", said.out, said.err);
            assert!(words.contains("another user (uid 65534)"), "{step}: {verb:?}: {said:#?}");
            assert_eq!(listing(&project), before, "{step}: {verb:?} left something");
        }
        give(&project, 0);
    }
}

fn give(path: &Path, owner: u32) {
    let status =
        Command::new("chown").args(["-R", &format!("{owner}:{owner}")]).arg(path).status().expect("chown runs");
    assert!(status.success());
}

/// Every file with its owner, mode and content.
fn listing(path: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        let meta = fs::symlink_metadata(&path).expect("there");
        let text = if meta.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        found.push(format!("{} {} {:o} {}", path.display(), meta.uid(), meta.mode(), String::from_utf8_lossy(&text)));
        if meta.is_dir() {
            pending.extend(fs::read_dir(&path).expect("listed").flatten().map(|entry| entry.path()));
        }
    }
    found.sort();
    found
}
