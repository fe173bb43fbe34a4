//! Checks that the service's unit does not stop tmux, points to an existing program, and runs without a login.

use std::{fs, path::Path};

use standing::{Check, Finding, TheLoop, Unit};

use crate::service::{
    instance,
    systemd::{Files, SERVICE, lingers},
};

const REWRITE: &str = "run `the-loop service install` to rewrite it";

pub(super) fn check(the_loop: &TheLoop) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(file) = Files::of(the_loop.surroundings()).map(|files| files.service())
        && let Ok(text) = fs::read_to_string(&file)
    {
        findings.extend(written(&file, &text));
        if lingers(the_loop.surroundings()) == Some(false) {
            let what = "the service and tmux's scope end with the last login of this user";
            let remedy = "run `loginctl enable-linger` to start them at boot and keep them running after logout";
            findings.push(Finding::notice(Check::Systemd, file.display().to_string(), what, remedy));
        }
    }
    findings.extend(running(the_loop));
    findings
}

/// Checks the text of the unit.
fn written(file: &Path, text: &str) -> Vec<Finding> {
    let place = file.display().to_string();
    let mut findings = Vec::new();
    let mode = value(text, "KillMode").unwrap_or("control-group");
    if !leaves_tmux_alone(mode) {
        let what = format!("its `KillMode` is `{mode}`: if tmux is part of the unit, stopping it ends every agent");
        let remedy = format!(
            "set `KillMode=process` under `[Service]` (`systemctl --user edit {SERVICE}`), or \
                              {REWRITE}"
        );
        findings.push(Finding::hazard(Check::Systemd, &place, what, remedy));
    }
    let command = value(text, "ExecStart").unwrap_or_default();
    for path in command.split('"').filter(|word| word.starts_with('/')) {
        let path = path.replace("%%", "%").replace("$$", "$");
        if !Path::new(&path).exists() {
            let what = format!("refers to {path}, which does not exist");
            findings.push(Finding::hazard(Check::Systemd, &place, what, REWRITE));
        }
    }
    findings
}

/// Returns the last value of a key, which is the effective one.
fn value<'a>(unit: &'a str, key: &str) -> Option<&'a str> {
    unit.lines()
        .filter_map(|line| line.trim().strip_prefix(key)?.trim_start().strip_prefix('='))
        .next_back()
        .map(str::trim)
}

fn leaves_tmux_alone(kill_mode: &str) -> bool {
    ["process", "none"].contains(&kill_mode)
}

/// Checks a service that runs as part of a unit, whichever program wrote it.
fn running(the_loop: &TheLoop) -> Option<Finding> {
    let holder = instance::running(&the_loop.config().settings.state_root).ok()??;
    let unit = Unit::of(holder.pid)?;
    let mode = unit.kill_mode(the_loop.surroundings())?;
    (!leaves_tmux_alone(&mode)).then(|| {
        let what = format!(
            "part of the unit {}, whose `KillMode` is `{mode}`: a tmux server that it starts without a scope of its \
             own ends with the unit",
            unit.name
        );
        let user = if unit.user { " --user" } else { "" };
        let remedy = format!("run `systemctl{user} edit {}` and set `KillMode=process` under `[Service]`", unit.name);
        Finding::hazard(Check::Systemd, format!("the service (pid {})", holder.pid), what, remedy)
    })
}
