//! Callers of verbs. Agents do not control sessions, so a verb needs to know if its caller runs inside one.

use wire::SessionName;

use crate::{
    Surroundings,
    launcher::SESSION_VAR,
    process::{LOOP_ID_VAR, ProcessIdentity, lineage, variable_of},
};

/// Caller of a verb, as far as it is known.
///
/// A caller is recognised by the marks in the environment of a harness, which every process started by the harness
/// inherits. A caller that removes the marks from its own environment is recognised by its ancestors. A caller that
/// leaves its ancestors as well is not recognised. The check keeps an agent from ending its supervisor by accident;
/// it does not stop an agent that runs as your user and wants to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// This process: the command line, or a program that uses this crate.
    ThisProcess,
    /// Another process of this machine, to which this one responds.
    Process(u32),
    /// A process of this machine that closed its connection before it could be identified.
    Gone,
    /// Unknown: a process that must not be read, a process of another machine, or a person in Slack.
    Unidentified,
}

/// Session that a caller runs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    /// A session, with its name if the marks contain it.
    Session(Option<SessionName>),
    /// Could not determine, since the caller has exited.
    NotKnown,
}

impl Caller {
    /// Returns the session that the caller runs in; `None` if it runs in none, as far as is known.
    pub(crate) fn inside(self, surroundings: &Surroundings) -> Option<Inside> {
        match self {
            Self::Unidentified => None,
            Self::Gone => Some(Inside::NotKnown),
            Self::Process(pid) => of_line(pid),
            Self::ThisProcess => {
                let variable = |key: &str| surroundings.var(key)?.to_str().map(str::to_owned);
                marks(variable).or_else(|| of_line(std::process::id()))
            }
        }
    }
}

/// Reads the marks of a process and its ancestors.
fn of_line(pid: u32) -> Option<Inside> {
    let Some(caller) = ProcessIdentity::of(pid) else { return Some(Inside::NotKnown) };
    let inside = lineage(pid).into_iter().find_map(|pid| marks(|key| variable_of(pid, key)));
    // Order matters: a process that is about to exit has no environment left. So a process has no marks only if it is
    // alive after its environment was read.
    inside.or_else(|| (caller.is_ending() || !caller.is_alive()).then_some(Inside::NotKnown))
}

/// Reads the marks in one environment.
fn marks(variable: impl Fn(&str) -> Option<String>) -> Option<Inside> {
    let mark = |key: &str| variable(key).filter(|value| !value.is_empty());
    let name = mark(SESSION_VAR);
    mark(LOOP_ID_VAR).or_else(|| name.clone())?;
    Some(Inside::Session(name.and_then(|name| SessionName::parse(&name).ok())))
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn inside(caller: Caller) -> Option<Inside> {
        let here = Surroundings::of_process().without_var(LOOP_ID_VAR).without_var(SESSION_VAR);
        caller.inside(&here)
    }

    fn ended(mut child: Child) {
        child.kill().expect("ended");
        child.wait().expect("reaped");
    }

    fn quiet(command: &mut Command) -> Child {
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts")
    }

    #[test]
    fn a_caller_is_inside_a_session_by_its_own_marks() {
        for (key, name) in [(LOOP_ID_VAR, None), (SESSION_VAR, Some("ops"))] {
            let child = quiet(Command::new("sleep").arg("600").env(key, "ops"));
            // The child has the mark only after its exec.
            while variable_of(child.id(), key).is_none() {
                std::thread::yield_now();
            }
            let expected = Inside::Session(name.map(|name| SessionName::parse(name).expect("a name")));
            assert_eq!(inside(Caller::Process(child.id())), Some(expected), "{key}");
            ended(child);
        }
        let marked = Surroundings::of_process().with_var(LOOP_ID_VAR, "7");
        assert_eq!(Caller::ThisProcess.inside(&marked), Some(Inside::Session(None)));
    }

    #[test]
    fn a_caller_that_takes_its_marks_off_is_inside_by_its_ancestors() {
        let script = "env -u THE_LOOP_ID -u THE_LOOP_SESSION sleep 600 & echo $!; wait";
        let mut shell = Command::new("sh")
            .args(["-c", script])
            .env(SESSION_VAR, "ops")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let mut out = std::io::BufReader::new(shell.stdout.take().expect("piped"));
        std::io::BufRead::read_line(&mut out, &mut line).expect("read");
        let pid: u32 = line.trim().parse().expect("a pid");
        while variable_of(pid, SESSION_VAR).is_some() {
            std::thread::yield_now();
        }
        let expected = Inside::Session(SessionName::parse("ops").ok());
        assert_eq!(inside(Caller::Process(pid)), Some(expected));
        crate::ProcessHold::of(pid).expect("it lives").kill().expect("ended");
        shell.wait().expect("reaped");
    }

    #[test]
    fn a_caller_without_marks_is_inside_none() {
        let child = quiet(Command::new("sleep").arg("600").env_remove(LOOP_ID_VAR).env_remove(SESSION_VAR));
        // The process that runs these tests may itself be inside a session, and so is its child.
        assert_eq!(inside(Caller::Process(child.id())), inside(Caller::ThisProcess));
        ended(child);
        assert_eq!(inside(Caller::Unidentified), None);
        assert_eq!(inside(Caller::Gone), Some(Inside::NotKnown));
    }
}
