//! Row 28: the service under a real user manager of systemd. The manager is the test's own. It has its own home,
//! runtime folder and control group, so that no unit of the user who runs the test is touched. The test needs root and
//! a systemd to run. Without them it reports that it is skipped.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use testkit::{CAP, TestHome, wait_for};

use super::Home;
use crate::app::{Said, THE_LOOP};

/// Where Debian and the others keep it.
const SYSTEMD: [&str; 2] = ["/usr/lib/systemd/systemd", "/lib/systemd/systemd"];

/// A control group first, since a manager makes its units' beside its own; then a place in which systemd seems booted,
/// without which it refuses; then the manager.
const SCRIPT: &str = r#"
set -e
for group in $GROUPS_OF_OURS; do
    mkdir -p "$group/init.scope"
    echo $$ > "$group/init.scope/cgroup.procs"
done
exec unshare --mount sh -ec 'mount -t tmpfs tmpfs /run/systemd; mkdir /run/systemd/system
    exec "$0" --user --unit=basic.target' "$MANAGER"
"#;

/// A user manager of the test's own.
struct Manager {
    process: Child,
    runtime: PathBuf,
    groups: Vec<PathBuf>,
}

impl Manager {
    /// Starts one for a home, or says why there can be none.
    fn start(home: &TestHome) -> Result<Self, String> {
        let systemd = SYSTEMD.iter().find(|path| Path::new(path).exists()).ok_or("there is no systemd")?;
        if !nix::unistd::geteuid().is_root() {
            return Err("only root can run a user manager of its own".to_owned());
        }
        let runtime = home.path().join("run");
        fs::DirBuilder::new().mode(0o700).create(&runtime).expect("made");
        // By its name this is a user's, as `/proc/<pid>/cgroup` then has it.
        let below = format!("{}/user@0.service", home.tmux().name());
        let roots = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"];
        let hierarchies = roots.iter().map(Path::new).filter(|root| root.join("cgroup.procs").exists());
        let groups: Vec<PathBuf> = hierarchies.map(|root| root.join(&below)).collect();
        let named: Vec<String> = groups.iter().map(|group| group.display().to_string()).collect();
        let mut command = home.command("sh");
        command.args(["-c", SCRIPT]).env("XDG_RUNTIME_DIR", &runtime).env("MANAGER", systemd);
        command.env("GROUPS_OF_OURS", named.join(" ")).env("SYSTEMD_LOG_TARGET", "console");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().map_err(|error| format!("no shell: {error}"))?;
        let mut manager = Self { process, runtime, groups };
        let begun = Instant::now();
        loop {
            let state = manager.systemctl(home, &["is-active", "basic.target"]).out;
            if state.trim() == "active" {
                return if manager.grants_scopes(home) { Ok(manager) } else { Err("it grants no scopes".to_owned()) };
            }
            if let Ok(Some(status)) = manager.process.try_wait() {
                return Err(format!("a user manager does not come up here ({status})"));
            }
            if begun.elapsed() > CAP {
                return Err(format!("a user manager does not come up here (`{}`)", state.trim()));
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn grants_scopes(&self, home: &TestHome) -> bool {
        let mut command = home.command("systemd-run");
        command.args(["--user", "--scope", "--quiet", "--", "true"]).env("XDG_RUNTIME_DIR", &self.runtime);
        command.stdin(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    fn systemctl(&self, home: &TestHome, args: &[&str]) -> Said {
        let mut command = home.command("systemctl");
        command.arg("--user").args(args).env("XDG_RUNTIME_DIR", &self.runtime).stdin(Stdio::null());
        Said::of(&command.output().expect("systemctl runs"))
    }

    /// `the-loop …` where that manager is the user's.
    fn run(&self, home: &Home, args: &[&str]) -> Said {
        let mut command = home.home.command(THE_LOOP);
        command.args(args).env("XDG_RUNTIME_DIR", &self.runtime).stdin(Stdio::null());
        Said::of(&command.output().expect("the binary runs"))
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        let mut exit = Command::new("systemctl");
        let _ = exit.args(["--user", "exit"]).env("XDG_RUNTIME_DIR", &self.runtime).stderr(Stdio::null()).status();
        let begun = Instant::now();
        while matches!(self.process.try_wait(), Ok(None)) && begun.elapsed() < CAP {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        for group in &self.groups {
            remove_group(group.parent().expect("a group of ours"));
        }
    }
}

/// A control group has no files that could be removed, and none that must be.
fn remove_group(group: &Path) {
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_group(&entry.path());
        }
    }
    let _ = fs::remove_dir(group);
}

/// The process of each session's harness.
fn harnesses(home: &Home) -> Vec<(String, u64)> {
    let (rows, _) = home.report(&["standing", "list"]);
    let pid = |row: &serde_json::Value| Some((row["name"].as_str()?.to_owned(), row["pid"].as_u64()?));
    rows.as_array().expect("rows").iter().filter_map(pid).collect()
}

fn unit_of(pid: u64) -> String {
    fs::read_to_string(format!("/proc/{pid}/cgroup")).expect("it lives")
}

fn ours(port: u16) -> Home {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/port", json!(port));
    Home::of(home.declare(json!({ "name": "ops" })).declare(json!({ "name": "two" })).build())
}

#[test]
fn row_28_sessions_survive_whatever_becomes_of_the_service_under_a_user_unit() {
    let home = ours(super::unit::free_port());
    let manager = match Manager::start(&home.home) {
        Ok(manager) => manager,
        // Written past the test runner, which keeps what a passing test prints to itself.
        Err(why) => return writeln!(io::stderr(), "SKIPPED row 28: {why}").expect("told"),
    };
    let said = manager.run(&home, &["service", "install"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:#?}");
    let before = harnesses(&home);
    assert_eq!(before.len(), 2, "both start by themselves");
    let scope = unit_of(before[0].1);
    assert!(scope.contains(".scope") && !scope.contains("the-loop.service"), "{scope}");
    assert!(unit_of(home.pid().into()).contains("the-loop.service"));
    let same = |home: &Home| assert_eq!(harnesses(home), before);

    // Restarted, and with a `KillMode` that would take everything along: the scope is out of its reach.
    let unit = home.home.home().join(".config/systemd/user/the-loop.service.d");
    fs::create_dir_all(&unit).expect("made");
    fs::write(unit.join("all.conf"), "[Service]\nKillMode=control-group\n").expect("written");
    for args in [["daemon-reload"].as_slice(), &["restart", "the-loop"]] {
        assert_eq!(manager.systemctl(&home.home, args).code, 0, "{args:?}");
    }
    same(&home);

    // Killed: systemd restarts it, and what was stopped by hand stays stopped.
    home.run(&["standing", "stop", "two"]);
    let left = harnesses(&home);
    let pid = home.pid();
    kill(Pid::from_raw(i32::try_from(pid).expect("a pid fits")), Signal::SIGKILL).expect("it lived");
    wait_for("another service", || {
        (home.pid() != pid && home.report(&["status"]).0["services"][0]["healthy"] == true).then_some(())
    });
    assert_eq!((harnesses(&home), left.len()), (left.clone(), 1));

    // Ended and started by our own verbs, which go by way of systemd.
    for (verb, active) in [("stop", "inactive"), ("start", "active"), ("restart", "active")] {
        let said = manager.run(&home, &[verb, "--service-only"]);
        assert!(said.code == 0 && said.out.contains("by systemd"), "{verb}: {said:#?}");
        assert_eq!(manager.systemctl(&home.home, &["is-active", "the-loop"]).out.trim(), active, "{verb}");
    }
    assert_eq!(harnesses(&home), left);
    fs::remove_dir_all(&unit).expect("removed");
    let said = manager.run(&home, &["service", "uninstall"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:#?}");
    assert_eq!(home.report(&["status"]).0["services"][0]["running"], false);
    assert_eq!(harnesses(&home), left);
    home.run(&["stop"]);
}

#[test]
fn a_request_waits_in_the_socket_while_the_service_is_started_anew() {
    let port = super::unit::free_port();
    let home = ours(port);
    let manager = match Manager::start(&home.home) {
        Ok(manager) => manager,
        Err(why) => return writeln!(io::stderr(), "SKIPPED a_request_waits_in_the_socket: {why}").expect("told"),
    };
    let said = manager.run(&home, &["service", "install", "--socket"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:#?}");
    let before = harnesses(&home);
    let pid = home.pid();
    kill(Pid::from_raw(i32::try_from(pid).expect("a pid fits")), Signal::SIGKILL).expect("it lived");
    // Asked at once: nobody serves yet, and systemd holds the port.
    assert_eq!(testkit::Http::to(format!("127.0.0.1:{port}")).get("/api/v1/health").status, 200);
    wait_for("another service", || (home.pid() != pid).then_some(()));
    assert_eq!(harnesses(&home), before);
    let said = manager.run(&home, &["stop"]);
    assert_eq!(said.code, 0, "{said:#?}");
    for unit in ["the-loop.socket", "the-loop.service"] {
        assert_eq!(manager.systemctl(&home.home, &["is-active", unit]).out.trim(), "inactive", "{unit}");
    }
    assert_eq!(manager.run(&home, &["service", "uninstall"]).code, 0);
}
