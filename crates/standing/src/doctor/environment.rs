//! Check of two environments: that of this command, which a session it starts would get, and that of the tmux server.
//! The server's environment applies to panes that the operator opens beside the sessions, and an agent can ask tmux for
//! it.

use std::path::PathBuf;

use wire::{Check, Finding};

use super::{CheckContext, locale};
use crate::{Surroundings, nesting, sockets};

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = of_the_caller(&patient.context.surroundings);
    findings.extend(of_the_server(patient));
    findings
}

/// Reports variables of this command that a session would not get.
fn of_the_caller(here: &Surroundings) -> Vec<Finding> {
    let place = "the environment of this command";
    let mut findings = Vec::new();
    for marks in nesting::MARKS {
        let found: Vec<&str> = marks.names.iter().copied().filter(|key| here.has(key)).collect();
        if !found.is_empty() {
            let what = format!(
                "{} set: this command runs inside {}; sessions do not get these variables",
                found.join(", "),
                marks.program
            );
            let remedy = "nothing to do; to check your own environment, run this in a terminal outside the agent";
            findings.push(Finding::notice(Check::Environment, place, what, remedy));
        }
    }
    for gone in sockets::gone(here) {
        let what = format!("{} names a socket that no longer exists: {}", gone.key, gone.path.display());
        let remedy = format!("log in again, or set {} to the current socket; sessions start without it", gone.key);
        findings.push(Finding::notice(Check::Environment, place, what, remedy));
    }
    findings
}

fn of_the_server(patient: &CheckContext<'_>) -> Vec<Finding> {
    let Ok(Some(server)) = &patient.server else { return Vec::new() };
    let place = format!("the environment of the tmux server (pid {})", server.pid);
    let tmux = patient.tmux();
    let forget = |keys: &[&str]| {
        keys.iter().map(|key| format!("`{tmux} set-environment -g -u {key}`")).collect::<Vec<_>>().join(", ")
    };
    let named = |wanted: &dyn Fn(&str) -> bool| -> Vec<&str> {
        server.environment.iter().map(|(key, _)| key.as_str()).filter(|key| wanted(key)).collect()
    };
    let secrets = patient.context.secrets();
    let mut findings = Vec::new();
    let found = named(&|key| secrets.contains(&key));
    if !found.is_empty() {
        let what = format!("{} set: every agent can read it from tmux", found.join(", "));
        findings.push(Finding::hazard(Check::Environment, &place, what, forget(&found)));
    }
    let found = named(&nesting::is_mark);
    if !found.is_empty() {
        let what = format!(
            "{} set: an agent that you start by hand in a new pane assumes that it runs inside another agent, and \
             may not write a transcript",
            found.join(", ")
        );
        findings.push(Finding::notice(Check::Environment, &place, what, forget(&found)));
    }
    let stale: Vec<String> = stale(patient, |key| {
        server.environment.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    });
    if !stale.is_empty() {
        let what = format!(
            "differs from your current environment: {}; new panes that you open by hand get the old \
                            values",
            stale.join("; ")
        );
        let remedy = format!("`{tmux} set-environment -g NAME \"$NAME\"` for each of them");
        findings.push(Finding::notice(Check::Environment, &place, what, remedy));
    }
    findings
}

/// Reports relevant differences between the server's environment and this command's.
fn stale<'a>(patient: &CheckContext<'_>, theirs: impl Fn(&str) -> Option<&'a str>) -> Vec<String> {
    let here = &patient.context.surroundings;
    let dirs = |path: &str| std::env::split_paths(path).collect::<Vec<PathBuf>>();
    let mut found = Vec::new();
    let ours = here.var("PATH").and_then(|path| path.to_str()).unwrap_or_default();
    let known = dirs(theirs("PATH").unwrap_or_default());
    let mut lacking: Vec<String> = Vec::new();
    for dir in dirs(ours).into_iter().filter(|dir| !known.contains(dir)).map(|dir| dir.display().to_string()) {
        if !lacking.contains(&dir) {
            lacking.push(dir);
        }
    }
    if !lacking.is_empty() {
        found.push(format!("PATH does not contain {}", lacking.join(", ")));
    }
    let home = here.home().map(|home| home.display().to_string()).unwrap_or_default();
    let their_home = theirs("HOME").unwrap_or_default();
    if home != their_home {
        found.push(format!("HOME is `{their_home}`"));
    }
    let their_locale = locale::VARIABLES.iter().find_map(|key| theirs(key).filter(|value| !value.is_empty()));
    let their_locale = their_locale.unwrap_or_default();
    if locale::is_utf8(&locale::in_force(here).1) && !locale::is_utf8(their_locale) {
        found.push(format!("the locale is `{their_locale}`, not UTF-8"));
    }
    found
}
