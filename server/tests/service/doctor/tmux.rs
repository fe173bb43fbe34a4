//! Hazards of tmux: its program, its server, its socket and its environment.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

use super::{Home, builder, doctor, nothing, only, severe, sound, told, with};

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
    told(severe(&findings)[0], &["did not answer", &format!("kill -CONT {pid}")]);
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
        ("PATH", "/bin", "PATH does not contain"),
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
