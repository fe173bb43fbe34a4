//! Checks a running service: it answers, has this version, and has the environment that agents need.

use std::{collections::BTreeSet, fs};

use standing::{Check, Finding, Gone, Surroundings, TheLoop, account_differences, sockets_gone};

use crate::service::{
    instance::{self, LockHolder},
    probe,
};

const RESTART: &str = "run `the-loop restart --service-only`; sessions keep running";

pub(super) fn check(the_loop: &TheLoop) -> Vec<Finding> {
    let config = the_loop.config();
    let state_root = &config.settings.state_root;
    let holder = match instance::running(state_root) {
        Ok(Some(holder)) => holder,
        Ok(None) => return Vec::new(),
        Err(error) => {
            let what = format!("could not determine whether the service is running: {error}");
            let remedy = "make that directory readable and writable for you";
            return vec![Finding::hazard(Check::Service, state_root.display().to_string(), what, remedy)];
        }
    };
    let place = format!("the service (pid {})", holder.pid);
    let mut findings = Vec::new();
    findings.extend(health(&holder, &place));
    if let Some(environment) = environment(holder.pid, the_loop.surroundings()) {
        findings.extend(other_environment(the_loop.surroundings(), &environment, &place));
        findings.extend(unreachable_harnesses(the_loop, environment, &place));
    }
    findings
}

fn health(holder: &LockHolder, place: &str) -> Vec<Finding> {
    let Some(details) = &holder.details else {
        let what = "it has not reported its address";
        return vec![Finding::hazard(Check::Service, place, what, format!("wait a moment, or {RESTART}"))];
    };
    let mut findings = Vec::new();
    if !probe::answers(&details.address) {
        let what = format!("no answer at {}", details.address);
        findings.push(Finding::hazard(Check::Service, place, what, RESTART));
    }
    if details.version != crate::VERSION {
        let what = format!("its version is {}, but this program is {}", details.version, crate::VERSION);
        findings.push(Finding::notice(Check::Service, place, what, RESTART));
    }
    let now = jiff::Timestamp::now();
    if details.started_at.parse::<jiff::Timestamp>().is_ok_and(|started| started.duration_until(now).is_negative()) {
        let what = format!(
            "the service was started at {}, after the current time {now:.0}: the clock was set back",
            details.started_at
        );
        findings.push(Finding::hazard(
            Check::Clock,
            "the system clock",
            what,
            "set it with `timedatectl set-ntp \
                                                                                 true`",
        ));
    }
    findings
}

/// Returns the environment of the service.
fn environment(pid: u32, here: &Surroundings) -> Option<Surroundings> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    Some(here.clone().with_environ(&environ)).filter(|theirs| theirs.var("PATH").is_some())
}

/// Compares the environment of sessions started from the page, Slack or REST with that of sessions started here.
fn other_environment(ours: &Surroundings, theirs: &Surroundings, place: &str) -> Vec<Finding> {
    let gone = sockets_gone(theirs).into_iter().map(|Gone { key, path }| {
        let what = format!(
            "its {key} names a socket that no longer exists ({}): sessions that it starts do not get it",
            path.display()
        );
        Finding::notice(Check::Service, place, what, format!("in a shell with a working {key}, {RESTART}"))
    });
    let accounts = account_differences(theirs, ours).into_iter().map(|(key, theirs, ours)| {
        let what = format!("its {key} is {theirs}, but yours is {ours}: sessions that it creates use its account");
        Finding::notice(Check::Service, place, what, format!("in a shell with the right {key}, {RESTART}"))
    });
    gone.chain(accounts).collect()
}

/// Finds harnesses that the service cannot run. Sessions started from the page, Slack or REST have its environment.
fn unreachable_harnesses(the_loop: &TheLoop, theirs: Surroundings, place: &str) -> Option<Finding> {
    let theirs = TheLoop::open_in(Some(the_loop.config().path.file()), theirs, "cli");
    let found = |the_loop: &TheLoop| -> BTreeSet<String> {
        let known = the_loop.harnesses().unwrap_or_default().into_iter();
        known.filter(|(_, found)| *found).map(|(name, _)| name).collect()
    };
    let (ours, theirs) = (found(the_loop), found(&theirs));
    let used: BTreeSet<String> = the_loop.standing().list().ok()?.into_iter().map(|row| row.harness).collect();
    let lost: Vec<&str> = ours.difference(&theirs).map(String::as_str).filter(|name| used.contains(*name)).collect();
    if lost.is_empty() {
        return None;
    }
    let what =
        format!("the program of {} is on your PATH but not on its PATH, so it cannot start them", lost.join(", "));
    let remedy = "restart it from a shell that has it on PATH (`the-loop restart --service-only`); under systemd, \
                  run `the-loop service install`, which writes your PATH to its unit";
    Some(Finding::hazard(Check::Service, place, what, remedy))
}
