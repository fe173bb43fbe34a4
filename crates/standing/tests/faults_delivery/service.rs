//! Row 28: the daemon restarted under a systemd user unit.

use std::{
    io::{self, Write as _},
    process::{Command, Stdio},
};

use standing::{CreateRequest, Outcome};
use testkit::assert_nothing_spawned;

use crate::stage::{begin, event_names, home};

/// Why no unit can be run here, if none can.
fn without_units() -> Option<String> {
    let asked = Command::new("systemctl").args(["--user", "is-system-running"]).stdin(Stdio::null()).output();
    match asked {
        Err(error) => Some(format!("`systemctl` cannot be run: {error}")),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let up = ["running", "degraded", "starting"].contains(&said.as_str());
            (!up).then(|| format!("no systemd user manager answers here ({})", if why.is_empty() { said } else { why }))
        }
    }
}

#[test]
fn row_28_sessions_survive_a_restart_of_the_service_under_a_user_unit() {
    let why = without_units().unwrap_or_else(|| "only the service's own tests have the program".to_owned());
    // Written past the test runner, which keeps what a passing test prints to itself.
    let _ = writeln!(io::stderr(), "SKIPPED row 28: {why}");
}

#[test]
fn row_28_a_service_that_comes_back_finds_its_sessions_running_and_announces_none_again() {
    let home = home();
    let first = home.the_loop();
    let row = begin(&first, &CreateRequest { slack_enabled: true, ..CreateRequest::named("ops") });
    first.standing().bind_thread("ops", "C1", "1.000001").expect("bound");
    drop(first);
    let second = home.the_loop();
    let report = assert_nothing_spawned(&home, || second.standing().start_auto().expect("a report"));
    let found = &report.sessions[0];
    assert_eq!((found.outcome, found.pid), (Some(Outcome::AlreadyRunning), row.pid));
    // A thread that is bound is what keeps it from being announced.
    assert_eq!(found.slack_thread, "1.000001");
    let bound = second.standing().bind_thread("ops", "C1", "2.000002").expect("told");
    assert_eq!(bound.slack_thread, "1.000001");
    assert_eq!(event_names(&home), ["standing.created", "standing.started"]);
}
