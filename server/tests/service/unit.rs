//! `the-loop service`, and tmux in a scope of its own. `systemctl` and `systemd-run` are scripts here that write down
//! what they were asked and do as if: this shows what systemd is told, not what it does. That the units are understood
//! is asked of the real `systemd-analyze`, where there is one.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use testkit::{TestHome, assert_nothing_spawned};

use super::Home;
use crate::app::{Said, THE_LOOP};

/// A home with a systemd of its own, so to say.
struct Pretended {
    home: Home,
}

impl Pretended {
    fn new() -> Self {
        let pretended = Self { home: Home::of(TestHome::builder().exe(THE_LOOP).build()) };
        pretended.program("systemctl", "exit 0");
        pretended
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.home.path().join(name)
    }

    /// A program that writes down its arguments, a line for each call, and then does this.
    fn program(&self, name: &str, script: &str) {
        fs::create_dir_all(self.path("systemd")).expect("made");
        let (file, log) = (self.path("systemd").join(name), self.path("asked"));
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"{name} $*\" >> '{}'\n{script}\n", log.display());
        fs::write(&file, script).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
    }

    /// `the-loop …` with those programs first on its PATH.
    fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, |_| ())
    }

    fn run_with(&self, args: &[&str], adjust: impl FnOnce(&mut Command)) -> Said {
        let mut command = self.home.home.command(THE_LOOP);
        let path = std::env::var("PATH").expect("a PATH");
        command.args(args).env("PATH", format!("{}:{path}", self.path("systemd").display())).stdin(Stdio::null());
        adjust(&mut command);
        Said::of(&command.output().expect("the binary runs"))
    }

    /// Returns the calls to systemd since the last call of this function, without those that only probe for a user
    /// manager.
    fn asked(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path("asked")).unwrap_or_default();
        let _ = fs::remove_file(self.path("asked"));
        log.lines().filter(|line| !line.ends_with("show-environment")).map(str::to_owned).collect()
    }

    fn unit(&self, name: &str) -> PathBuf {
        self.home.home.home().join(".config/systemd/user").join(name)
    }
}

/// The units out of what was printed, each under its name.
fn units(printed: &str) -> Vec<(String, String)> {
    let mut units: Vec<(String, String)> = Vec::new();
    for line in printed.lines() {
        let name =
            line.strip_prefix("# the-loop").filter(|end| [".service", "-sessions.service", ".socket"].contains(end));
        match (name, units.last_mut()) {
            (Some(end), _) => units.push((format!("the-loop{end}"), String::new())),
            (None, Some((_, text))) => text.extend([line, "\n"]),
            (None, None) => panic!("no name before: {printed}"),
        }
    }
    units
}

#[test]
fn the_units_are_understood() {
    let systemd = Pretended::new();
    let folder = systemd.path("units");
    fs::create_dir(&folder).expect("made");
    let printed = systemd.run(&["service", "print"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{printed:#?}");
    let config = systemd.home.home.config_file().display().to_string();
    for line in [
        "Type=notify",
        "KillMode=process",
        "Restart=on-failure",
        &format!("ExecStart=\"{THE_LOOP}\" --config \"{config}\" serve"),
        &format!("ExecStart=\"{THE_LOOP}\" --config \"{config}\" start --sessions-only"),
        "Environment=\"LANG=C.UTF-8\"",
    ] {
        assert!(printed.out.lines().any(|printed| printed == line), "{line} in {}", printed.out);
    }
    assert_eq!(systemd.asked(), Vec::<String>::new(), "nobody was asked anything");
    let with_socket = systemd.run(&["service", "print", "--socket"]).out;
    assert!(with_socket.contains("ListenStream=127.0.0.1:4114\n"), "{with_socket}");
    for (below, printed, expected) in [("one", &printed.out, 2), ("two", &with_socket, 3)] {
        fs::create_dir_all(folder.join(below)).expect("made");
        let units = units(printed);
        assert_eq!(units.len(), expected, "{printed}");
        for (name, text) in units {
            fs::write(folder.join(below).join(name), text).expect("written");
        }
    }
    for below in ["one", "two"] {
        let mut analyze = systemd.home.home.command("systemd-analyze");
        let files = fs::read_dir(folder.join(below)).expect("there").flatten().map(|file| file.path());
        analyze.args(["--user", "verify"]).args(files);
        analyze.env("XDG_RUNTIME_DIR", systemd.home.home.path());
        match analyze.output() {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
            }
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "SKIPPED the_units_are_understood: systemd-analyze: {error}");
            }
        }
    }
}

#[test]
fn install_writes_and_tells_and_uninstall_takes_it_back() {
    let systemd = Pretended::new();
    let (service, socket) = (systemd.unit("the-loop.service"), systemd.unit("the-loop.socket"));
    let said = systemd.run(&["service", "install"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:#?}");
    assert!(
        said.out.contains(&service.display().to_string()) && said.out.contains("loginctl enable-linger"),
        "{said:#?}"
    );
    let enabled = "systemctl --user enable --now the-loop.service the-loop-sessions.service";
    assert_eq!(systemd.asked(), ["systemctl --user daemon-reload", enabled]);
    for (name, text) in units(&systemd.run(&["service", "print"]).out) {
        assert_eq!(fs::read_to_string(systemd.unit(&name)).expect("written").trim_end(), text.trim_end(), "{name}");
    }
    assert_eq!(fs::metadata(&service).expect("there").permissions().mode() & 0o777, 0o644);
    assert!(!socket.exists());
    systemd.asked();

    // Again, with a socket and then without.
    assert_eq!(systemd.run(&["service", "install", "--socket"]).code, 0);
    let enabled = "systemctl --user enable --now the-loop.socket the-loop.service the-loop-sessions.service";
    assert_eq!(systemd.asked(), ["systemctl --user daemon-reload", enabled]);
    assert!(socket.exists() && fs::read_to_string(&service).expect("there").contains("Requires=the-loop.socket"));
    assert_eq!(systemd.run(&["service", "install"]).code, 0);
    assert_eq!(systemd.asked()[0], "systemctl --user disable --now the-loop.socket");
    assert!(!socket.exists());

    systemd.run(&["service", "install", "--socket"]);
    systemd.asked();
    let said = systemd.run(&["service", "uninstall"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:#?}");
    let disabled = "systemctl --user disable --now the-loop.socket the-loop-sessions.service the-loop.service";
    assert_eq!(systemd.asked(), [disabled, "systemctl --user daemon-reload"]);
    assert!(!service.exists() && !socket.exists() && !systemd.unit("the-loop-sessions.service").exists());
    let again = systemd.run(&["service", "uninstall"]);
    assert!(again.code == 0 && again.out.contains("nothing to do") && systemd.asked().is_empty(), "{again:#?}");
}

#[test]
fn what_somebody_else_wrote_is_left_alone() {
    let systemd = Pretended::new();
    let unit = systemd.unit("the-loop.service");
    fs::create_dir_all(unit.parent().expect("a folder")).expect("made");
    fs::write(&unit, "[Service]\nExecStart=/bin/true\n").expect("written");
    for verb in ["install", "uninstall"] {
        let said = systemd.run(&["service", verb]);
        assert!(said.code == 1 && said.err.contains("did not write this unit"), "{said:#?}");
    }
    assert_eq!(fs::read_to_string(&unit).expect("there"), "[Service]\nExecStart=/bin/true\n");
    assert_eq!(systemd.asked(), Vec::<String>::new());
}

#[test]
fn without_systemd_it_says_what_to_do() {
    let systemd = Pretended::new();
    let unit = systemd.unit("the-loop.service");
    let said = systemd.run_with(&["service", "install"], |command| _ = command.env("PATH", "/no/such"));
    assert!(
        said.code == 1 && said.err.contains("`systemctl` was not found") && said.err.contains("@reboot"),
        "{said:#?}"
    );
    assert!(said.err.contains(&format!("{THE_LOOP} --config")) && !unit.exists(), "{said:#?}");
    // There, and nobody answers: as in a shell that was opened by `su`.
    systemd.program("systemctl", "exit 1");
    let said = systemd.run(&["service", "install"]);
    assert!(said.code == 1 && unit.exists(), "{said:#?}");
    for command in
        ["systemctl --user daemon-reload", "systemctl --user enable --now the-loop.service the-loop-sessions.service"]
    {
        assert!(said.err.contains(command), "{said:#?}");
    }
    systemd.program("systemctl", "case \"$*\" in *enable*) echo 'no such unit' >&2; exit 1;; esac");
    let said = systemd.run(&["service", "install"]);
    assert!(said.code == 1 && said.err.contains("enable --now") && said.err.contains("no such unit"), "{said:#?}");
}

#[test]
fn a_service_that_runs_otherwise_is_not_hampered() {
    let systemd = Pretended::new();
    systemd.home.start();
    let said = systemd.run(&["service", "install"]);
    let pid = format!("(pid {})", systemd.home.pid());
    assert!(said.code == 1 && said.err.contains(&pid) && said.err.contains("stop --service-only"), "{said:#?}");
    assert!(!systemd.unit("the-loop.service").exists() && systemd.asked().is_empty());
    systemd.home.run(&["stop"]);
    systemd.home.home.reconfigure("/service/enabled", json!(false));
    let said = systemd.run(&["service", "install"]);
    assert!(said.code == 1 && said.err.contains("service.enabled"), "{said:#?}");
    systemd.home.home.write_config("service: 7\n");
    assert_eq!(systemd.run(&["service", "install"]).code, 2);
    assert!(!systemd.unit("the-loop.service").exists());
}

#[test]
fn with_a_unit_systemd_is_asked_to_start_the_service() {
    let systemd = Pretended::new();
    systemd.home.home.reconfigure("/service/port", json!(free_port()));
    systemd.run(&["service", "install"]);
    // In the place of the unit: the service, with what it is to tell thrown away.
    let serve = format!("'{THE_LOOP}' serve >'{}' 2>&1 &", systemd.path("log").display());
    let wait = format!("while [ ! -s '{}' ]; do sleep 0.02; done", systemd.home.local("service.json").display());
    systemd.program("systemctl", &format!("case \"$*\" in *' start the-loop.service') {serve} {wait};; esac"));
    systemd.asked();
    let said = systemd.run(&["start", "--service-only"]);
    assert!(said.code == 0 && said.out.contains("by systemd"), "{said:#?}");
    assert_eq!(systemd.asked(), ["systemctl --user start the-loop.service"]);
    assert!(systemd.run(&["start", "--service-only"]).out.contains("already-running"));
    // It is no unit, whoever it claims to be started by: it gets its signal from us.
    assert!(systemd.run(&["stop", "--service-only"]).out.contains("SIGTERM"));
    assert_eq!(systemd.asked(), Vec::<String>::new());
    // Another config's unit is nothing to this one; nor is an address of one's own the unit's.
    assert!(!systemd.run(&["start", "--service-only", "--port", "0"]).out.contains("by systemd"));
    systemd.run(&["stop", "--service-only"]);
    let unit = fs::read_to_string(systemd.unit("the-loop.service")).expect("there");
    fs::write(systemd.unit("the-loop.service"), unit.replace("cli-config.yaml", "other.yaml")).expect("written");
    assert!(!systemd.run(&["start", "--service-only"]).out.contains("by systemd"));
    systemd.run(&["stop", "--service-only"]);
    fs::write(systemd.unit("the-loop.service"), unit).expect("written");
    systemd.program("systemctl", "case \"$*\" in *' start '*) echo 'Job failed.' >&2; exit 1;; esac");
    let said = systemd.run(&["start", "--service-only"]);
    assert!(said.code == 1 && said.err.contains("Job failed.") && said.err.contains("journalctl"), "{said:#?}");
}

/// A port that nobody has, a moment ago.
pub(super) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr()).expect("a port").port()
}

#[test]
fn a_tmux_server_that_a_unit_spawns_gets_a_scope_of_its_own() {
    let systemd = Pretended::new();
    // The real one becomes what stands behind `--`.
    systemd.program("systemd-run", "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"");
    let within_a_unit = |command: &mut Command| _ = command.env("INVOCATION_ID", "0123456789abcdef0123456789abcdef");
    let said = systemd.run_with(&["standing", "create", "first"], within_a_unit);
    assert_eq!(said.code, 0, "{said:#?}");
    let asked = systemd.asked();
    let scope = "systemd-run --user --scope --quiet --collect --description=tmux server of the-loop \
                 --property=OOMPolicy=continue --property=ManagedOOMPreference=avoid --";
    assert_eq!(asked.len(), 2, "{asked:#?}");
    assert_eq!(asked[0], format!("{scope} true"), "whether there are scopes");
    let socket = systemd.home.home.tmux().name();
    assert!(
        asked[1].starts_with(&format!("{scope} tmux -u -L {socket} new-session -d -s loop-standing-first")),
        "{asked:#?}"
    );
    // With a server there is nothing to spawn.
    assert_eq!(systemd.run_with(&["standing", "create", "second"], within_a_unit).code, 0);
    assert_eq!(systemd.asked(), Vec::<String>::new());
    // What systemd says to a unit's own process is not for an agent.
    let row = systemd.home.report(&["standing", "get", "first"]).0;
    let environment = fs::read_to_string(format!("/proc/{}/environ", row["pid"])).expect("it lives");
    assert!(!environment.contains("INVOCATION_ID"), "{environment:?}");
    systemd.home.run(&["standing", "stop"]);
}

#[test]
fn a_systemd_that_does_not_know_a_property_makes_the_scope_without_it() {
    let systemd = Pretended::new();
    systemd.program(
        "systemd-run",
        "case \"$*\" in *OOMPolicy*) echo 'Unknown assignment: OOMPolicy=continue' >&2; exit 1;; esac\n\
         while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"",
    );
    let within_a_unit = |command: &mut Command| _ = command.env("INVOCATION_ID", "0123456789abcdef0123456789abcdef");
    let said = systemd.run_with(&["standing", "create", "first"], within_a_unit);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.err.contains("rejects `OOMPolicy=continue`"), "{said:#?}");
    let asked = systemd.asked();
    let spawned = asked.last().expect("asked");
    assert!(spawned.contains("--property=ManagedOOMPreference=avoid -- tmux"), "{asked:#?}");
    assert!(!spawned.contains("OOMPolicy"), "{asked:#?}");
    systemd.home.run(&["standing", "stop"]);
}

#[test]
fn where_there_are_no_scopes_it_starts_all_the_same() {
    let systemd = Pretended::new();
    systemd.program("systemd-run", "echo 'Failed to connect to bus' >&2; exit 1");
    let within_a_unit = |command: &mut Command| _ = command.env("INVOCATION_ID", "0123456789abcdef0123456789abcdef");
    assert_eq!(systemd.run_with(&["standing", "create", "ops"], within_a_unit).code, 0);
    assert_eq!(systemd.asked().len(), 2, "with the properties and without them");
    assert_eq!(systemd.home.home.tmux().sessions(), ["loop-standing-ops"]);
    // Outside of a unit nobody is asked.
    systemd.home.run(&["standing", "stop"]);
    if fs::read_to_string("/proc/self/cgroup").is_ok_and(|groups| !groups.contains(".service")) {
        assert_eq!(systemd.run(&["standing", "start", "ops"]).code, 0);
        assert_eq!(systemd.asked(), Vec::<String>::new());
    }
}

#[test]
fn a_unit_that_would_take_tmux_along_is_a_hazard() {
    let systemd = Pretended::new();
    systemd.home.home.reconfigure("/service/enabled", json!(true));
    let hazards = || -> Vec<Value> {
        let said = assert_nothing_spawned(&systemd.home.home, || systemd.run(&["doctor", "--format", "json"]));
        let told: Value = serde_json::from_str(&said.out).expect("JSON");
        let found = told["findings"].as_array().expect("findings").iter();
        found.filter(|finding| finding["check"] == "systemd" && finding["severity"] == "hazard").cloned().collect()
    };
    let elsewhere = hazards().len();
    systemd.run(&["service", "install"]);
    assert_eq!(hazards().len(), elsewhere, "ours is none");
    let unit = systemd.unit("the-loop.service");
    let ours = fs::read_to_string(&unit).expect("written");
    for (text, part) in [
        (ours.replace("KillMode=process", "KillMode=mixed"), "`mixed`"),
        (ours.replace("KillMode=process\n", ""), "`control-group`"),
        (ours.replace(THE_LOOP, "/no/such/the-loop"), "/no/such/the-loop, which does not exist"),
    ] {
        fs::write(&unit, text).expect("written");
        let found = hazards();
        assert_eq!(found.len(), elsewhere + 1, "{part}: {found:#?}");
        assert!(found.iter().any(|found| found["what"].as_str().expect("text").contains(part)), "{part}: {found:#?}");
    }
}
