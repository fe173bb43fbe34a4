//! Running for months: the service in the background, its sections of the command line, and the event log.

mod background;
mod crash;
mod doctor;
mod events;
mod folder;
mod lifecycle;
mod machine;
mod plan;
mod selftest;
mod status;
mod stop;
mod systemd;
mod under_systemd;
mod unit;

use std::{fs, process::Stdio};

use serde_json::Value;
use testkit::{Http, TestHome};

use crate::app::{Said, THE_LOOP};

/// A home in which a service may run in the background. Dropping it ends that service.
struct Home {
    home: TestHome,
}

impl Home {
    fn of(home: TestHome) -> Self {
        Self { home }
    }

    /// `the-loop …`
    fn run(&self, args: &[&str]) -> Said {
        let mut command = self.home.command(THE_LOOP);
        Said::of(&command.args(args).stdin(Stdio::null()).output().expect("the binary runs"))
    }

    /// `the-loop VERB --format json …`, and its exit status.
    #[track_caller]
    fn report(&self, args: &[&str]) -> (Value, i32) {
        let said = self.run(&[args, &["--format", "json"]].concat());
        let report = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {said:#?}"));
        (report, said.code)
    }

    /// Starts the service, on a port of its own, and the auto-start sessions.
    #[track_caller]
    fn start(&self) -> Value {
        let (report, code) = self.report(&["start", "--port", "0"]);
        assert_eq!((code, &report["ok"]), (0, &Value::Bool(true)), "{report:#}");
        report
    }

    /// Returns the contents of `service.json`, which describes the running service.
    fn details(&self) -> Value {
        let text = fs::read_to_string(self.local("service.json")).expect("the service has said where it is");
        serde_json::from_str(&text).expect("JSON")
    }

    fn pid(&self) -> u32 {
        u32::try_from(self.details()["pid"].as_u64().expect("a pid")).expect("a pid fits")
    }

    fn http(&self) -> Http {
        let details = self.details();
        let address = details["address"].as_str().expect("an address");
        Http::to(address.trim_start_matches("http://").split('/').next().expect("an authority"))
    }

    fn local(&self, file: &str) -> std::path::PathBuf {
        self.home.project().join(".the-loop/local").join(file)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home.project().join(".the-loop/logs/service.log")).unwrap_or_default()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let said = self.run(&["stop", "--service-only"]);
        assert!(said.code == 0 || std::thread::panicking(), "{said:#?}");
    }
}

/// A field of `/proc/<pid>/stat`, counted from 1 as in its manual; from the third one on.
fn stat(pid: u32, field: usize) -> i64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    fields.split(' ').nth(field - 3).expect("a field").parse().expect("a number")
}
