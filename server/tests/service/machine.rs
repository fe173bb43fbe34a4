//! The machine in the field: file systems that cannot do everything, a container without an init, tmux set to end
//! sessions, and system calls that a sandbox refuses.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use testkit::{Http, TestHome, wait_for};

use super::Home;
use crate::app::{Said, THE_LOOP};

fn home() -> Home {
    Home::of(TestHome::builder().exe(THE_LOOP).set("/service/port", json!(0)).build())
}

/// Says aloud that a case is not tested here. It is not captured as a test's output is.
fn skipped(why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {why}");
}

/// A library that fails a call of the C library; `None` without a compiler.
fn shim(home: &Home, name: &str, source: &str) -> Option<PathBuf> {
    let (code, library) = (home.home.path().join(format!("{name}.c")), home.home.path().join(format!("{name}.so")));
    fs::write(&code, source).expect("written");
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&code).args(["-ldl"]).output();
    if made.is_ok_and(|made| made.status.success()) {
        return Some(library);
    }
    skipped("there is no C compiler to make a shim with");
    None
}

fn with(home: &Home, shim: &PathBuf, args: &[&str]) -> Said {
    let mut command = home.home.command(THE_LOOP);
    command.args(args).env("LD_PRELOAD", shim).stdin(Stdio::null());
    Said::of(&command.output().expect("the binary runs"))
}

/// `fsync` of a folder fails.
fn fsync_of_folders(errno: &str) -> String {
    format!(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n#include <sys/stat.h>\n\
         static int folder(int fd) {{ struct stat s; return fstat(fd, &s) == 0 && S_ISDIR(s.st_mode); }}\n\
         #define FAIL(call) int call(int fd) {{ if (folder(fd)) {{ errno = {errno}; return -1; }} \\\n\
         return ((int (*)(int))dlsym(RTLD_NEXT, #call))(fd); }}\nFAIL(fsync)\nFAIL(fdatasync)\n"
    )
}

const NO_FLOCK: &str = "#include <errno.h>\nint flock(int fd, int how) { errno = ENOLCK; return -1; }\n";

fn findings(home: &Home, shim: &PathBuf) -> Vec<String> {
    let said = with(home, shim, &["doctor", "--format", "json"]);
    let told: Value = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:#?}"));
    let findings = told["findings"].as_array().expect("findings").iter();
    findings.filter(|found| found["check"] == "disk").map(|found| found["what"].to_string()).collect()
}

#[test]
fn a_file_system_without_a_directory_fsync_is_told_of_once_and_got_along_with() {
    let home = home();
    for errno in ["EINVAL", "ENOTSUP", "ENOSYS"] {
        let Some(shim) = shim(&home, errno, &fsync_of_folders(errno)) else { return };
        let said = with(&home, &shim, &["standing", "create", "a"]);
        assert_eq!(said.code, 0, "{errno}: {said:#?}");
        assert_eq!(said.err.matches("cannot sync to disk").count(), 1, "{errno}: {said:#?}");
        let row = with(&home, &shim, &["standing", "get", "a", "--format", "json"]).out;
        assert!(row.contains("\"state\": \"running\""), "{errno}: {row}");
        assert!(findings(&home, &shim).iter().any(|what| what.contains("cannot sync")), "{errno}");
        assert_eq!(with(&home, &shim, &["standing", "delete", "a", "--yes"]).code, 0, "{errno}");
        assert!(!home.home.records().join("a.json").exists());
    }
}

#[test]
fn a_disk_that_fails_refuses_a_create_and_leaves_the_name_free() {
    let home = home();
    assert_eq!(home.run(&["standing", "create", "b"]).code, 0);
    let Some(shim) = shim(&home, "eio", &fsync_of_folders("EIO")) else { return };
    let said = with(&home, &shim, &["standing", "create", "a"]);
    assert!(said.code == 1 && said.err.contains("could not sync"), "{said:#?}");
    assert!(!home.home.records().join("a.json").exists(), "no half of it is left");
    assert_eq!(home.home.tmux().sessions(), ["loop-standing-b"]);
    assert!(findings(&home, &shim).iter().any(|what| what.contains("could not sync")));
    // An agent can be stopped whatever the disk does, and a delete that was done is not called a failure.
    let said = with(&home, &shim, &["standing", "delete", "b", "--yes"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(!home.home.records().join("b.json").exists());
}

#[test]
fn a_file_system_without_locks_still_has_one_verb_and_one_service_at_a_time() {
    let home = home();
    let Some(shim) = shim(&home, "noflock", NO_FLOCK) else { return };
    let said = with(&home, &shim, &["standing", "create", "a"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(said.err.matches("does not support locks").count(), 1, "{said:#?}");
    assert!(findings(&home, &shim).iter().any(|what| what.contains("not support locks")));
    // Side by side: each of them waits for its turn.
    let spawn = || {
        let mut command = home.home.command(THE_LOOP);
        command.args(["standing", "restart", "a"]).env("LD_PRELOAD", &shim).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs")
    };
    let verbs: Vec<_> = (0..3).map(|_| spawn()).collect();
    for mut verb in verbs {
        assert!(verb.wait().expect("ends").success());
    }
    assert_eq!(home.home.tmux().sessions(), ["loop-standing-a"]);
    assert_eq!(with(&home, &shim, &["start", "--service-only"]).code, 0);
    let second = with(&home, &shim, &["serve"]);
    assert!(second.code == 1 && second.err.contains("already running"), "{second:#?}");
    let said = with(&home, &shim, &["stop"]);
    assert_eq!(said.code, 0, "{said:#?}");
}

#[test]
fn as_process_1_the_service_leaves_no_zombie() {
    let home = home();
    let namespace = ["-Ur", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let offered = Command::new("unshare").args(namespace).arg("true").output();
    if !offered.is_ok_and(|offered| offered.status.success()) {
        return skipped("this machine does not let a process namespace be made");
    }
    let mut serve = home.home.command("unshare");
    serve.args(namespace).args([THE_LOOP, "serve", "--port", "0"]).stdin(Stdio::null());
    serve.stdout(Stdio::null()).stderr(Stdio::null());
    let mut serve = serve.spawn().expect("runs");
    let address = wait_for("the service", || {
        let text = fs::read_to_string(home.local("service.json")).ok()?;
        let details: Value = serde_json::from_str(&text).ok()?;
        Some(details["address"].as_str()?.trim_start_matches("http://").split('/').next()?.to_owned())
    });
    let http = Http::to(&address);
    for round in 0..5 {
        let name = format!("a{round}");
        let body = json!({"name": name, "harness": "demo", "harnessArgs": ["--fault", "double-fork"]});
        let made = http.post("/api/v1/standing-sessions/create", &body);
        assert_eq!(made.status, 200, "{made:?}");
        let deleted = http.post("/api/v1/standing-sessions/delete", &json!({ "name": name }));
        assert_eq!(deleted.status, 200, "{deleted:?}");
    }
    // `unshare` is the parent of the first process of the namespace.
    let init = children(serve.id()).first().copied().expect("the first process");
    wait_for("every orphan to be waited for", || children(init).into_iter().all(|pid| !is_zombie(pid)).then_some(()));
    let service = children(init).into_iter().find(|pid| !is_zombie(*pid)).expect("the service below it");
    assert!(fs::read_to_string(format!("/proc/{service}/cmdline")).is_ok_and(|line| line.contains("serve")));
    let pid = nix::unistd::Pid::from_raw(i32::try_from(init).expect("a pid"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).expect("it lives");
    assert!(serve.wait().expect("ends").success(), "SIGTERM ends it in order");
}

fn children(pid: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

fn is_zombie(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

#[test]
fn a_tmux_that_is_set_to_end_sessions_keeps_ours() {
    for config in [
        "set -s exit-unattached on",
        "set -g destroy-unattached on",
        "set -g remain-on-exit on\nset -g exit-empty off\nset -g detach-on-destroy off\nset -g set-titles on",
        "set -g default-command 'exit 1'\nset -g default-shell /bin/false",
        "set-hook -g after-new-session 'split-window \"sleep 600\"'",
        "set-hook -g session-created 'new-window \"sleep 600\"'",
        "set -g base-index 7\nset -g pane-base-index 3",
        "set-hook -g pane-died respawn-pane",
    ] {
        let home = home();
        fs::write(home.home.home().join(".tmux.conf"), format!("{config}\n")).expect("written");
        let said = home.run(&["standing", "create", "a"]);
        assert_eq!(said.code, 0, "{config}: {said:#?}");
        let said = home.run(&["standing", "say", "a", "hello"]);
        assert!(said.code == 0 && said.out.contains("submitted"), "{config}: {said:#?}");
        let said = home.run(&["standing", "stop", "a"]);
        assert_eq!(said.code, 0, "{config}: {said:#?}");
        let said = home.run(&["standing", "start", "a"]);
        assert!(said.code == 0 && said.out.contains("resumed"), "{config}: {said:#?}");
        home.run(&["standing", "delete", "a", "--yes"]);
    }
}

#[test]
fn doctor_names_the_option_and_the_hook_that_end_sessions() {
    let home = home();
    let file = home.home.home().join(".tmux.conf");
    fs::write(&file, "set -s exit-unattached on\nset-hook -g client-detached kill-session\n").expect("written");
    let told = |part: &str| {
        let said = home.run(&["doctor", "--format", "json"]);
        let told: Value = serde_json::from_str(&said.out).expect("JSON");
        let findings = told["findings"].as_array().expect("findings").clone();
        findings.iter().any(|found| found["what"].as_str().is_some_and(|what| what.contains(part)))
    };
    assert!(told("exit-unattached") && told("client-detached kill-session"), "from the file, without a server");
    home.run(&["standing", "create", "a"]);
    fs::remove_file(&file).expect("removed");
    assert!(!told("exit-unattached") && told("kill-session"), "from the server: the start turned the option off");
}

#[test]
fn a_refused_system_call_is_named_and_leaves_no_zombie() {
    let home = home();
    assert_eq!(home.run(&["standing", "create", "a"]).code, 0);
    for call in ["pidfd_open", "memfd_create"] {
        for errno in ["ENOSYS", "EPERM"] {
            let mut command = home.home.command("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e"]);
            command.arg(format!("inject={call}:error={errno}")).arg(THE_LOOP);
            command.args(["standing", "get", "a", "--format", "json"]).stdin(Stdio::null());
            let Ok(output) = command.output() else { return skipped("there is no strace") };
            let said = Said::of(&output);
            let Ok(row) = serde_json::from_str::<Value>(&said.out) else {
                return skipped(&format!("strace cannot trace here: {}", said.err));
            };
            assert_eq!(row["state"], "unknown", "{call} {errno}: {said:#?}");
            let reason = row["reason"].as_str().expect("a reason");
            assert_eq!(reason.matches(call).count(), 1, "{call} {errno}: {reason}");
        }
    }
}
