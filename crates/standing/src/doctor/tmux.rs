//! Check that tmux is new enough and that its server answers.

use tmux::Silence;
use wire::{Check, Finding};

use super::{CheckContext, version};

/// Oldest version with the options and formats that a start needs.
const OLDEST: (u32, u32) = (3, 2);

/// First version that refuses a paste into a dead pane.
const REFUSES_DEAD_PANES: (u32, u32) = (3, 4);

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    match &patient.program {
        Err(silence) if silence.is_of_the_machine() => vec![Finding::hazard(
            Check::Tmux,
            "this machine",
            silence.0.clone(),
            "use Linux 5.3 or newer, and allow that call in the sandbox or seccomp profile of the container",
        )],
        Err(silence) => vec![Finding::hazard(
            Check::Tmux,
            "the program `tmux`",
            silence.0.clone(),
            "install tmux 3.2 or newer (`apt-get install tmux`, `brew install tmux`) and add it to PATH",
        )],
        Ok(program) => age(program).into_iter().chain(silence(patient)).collect(),
    }
}

fn age(program: &str) -> Option<Finding> {
    let place = format!("the program `tmux`, version {program}");
    // A version without a number, such as a snapshot, counts as new.
    let number = number(program)?;
    if number < OLDEST {
        let what = "too old to start sessions with";
        return Some(Finding::hazard(Check::Tmux, place, what, "install tmux 3.2 or newer, then `the-loop restart`"));
    }
    (number < REFUSES_DEAD_PANES).then(|| {
        let what = "this version crashes when text is pasted into a dead pane, and every session ends with it; \
                    the-loop avoids that, but your own scripts and key bindings can trigger it";
        Finding::notice(Check::Tmux, place, what, "install tmux 3.4 or newer")
    })
}

/// Parses major and minor from `3.3a` or `next-3.5`.
fn number(version: &str) -> Option<(u32, u32)> {
    let version = version.strip_prefix("next-").unwrap_or(version);
    let (major, rest) = version.split_once('.')?;
    let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn silence(patient: &CheckContext<'_>) -> Option<Finding> {
    let Silence(reason) = patient.panes.as_ref().err().filter(|silence| !version::is_skew(silence))?;
    let stopped = patient.recorded_servers().into_iter().find(|server| server.process.is_stopped());
    let (place, remedy) = match stopped {
        Some(server) => {
            let pid = server.process.pid;
            (format!("the tmux server (pid {pid}), which is suspended"), format!("resume it with `kill -CONT {pid}`"))
        }
        None => (
            "the tmux server".to_owned(),
            format!("check `{} list-sessions`; until tmux answers, no command changes anything", patient.tmux()),
        ),
    };
    Some(Finding::hazard(Check::Tmux, place, format!("did not answer ({reason})"), remedy))
}

#[cfg(test)]
mod tests {
    use wire::Severity;

    use super::*;

    #[test]
    fn an_old_tmux_is_a_hazard_and_one_that_others_can_crash_a_notice() {
        let severity = |version| age(version).map(|finding| finding.severity);
        for (version, expected) in [
            ("2.9a", Some(Severity::Hazard)),
            ("3.1c", Some(Severity::Hazard)),
            ("3.2", Some(Severity::Notice)),
            ("3.3a", Some(Severity::Notice)),
            ("3.4", None),
            ("3.10", None),
            ("next-3.7", None),
            ("master", None),
        ] {
            assert_eq!(severity(version), expected, "{version}");
        }
    }
}
