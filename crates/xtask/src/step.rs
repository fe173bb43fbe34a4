//! Step: one child process with a name, a timeout and a result line.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Interval at which a silent step reports that it is still running.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Grace period of a child after a request to end.
const GRACE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(20);

/// Prints a progress message.
pub(crate) fn say(text: impl std::fmt::Display) {
    eprintln!("xtask: {text}");
}

/// A child process to run to its end.
pub(crate) struct Step {
    what: String,
    command: Command,
    limit: Duration,
    silent: bool,
}

impl Step {
    /// Creates a step; `what` is its name for the user: `build of the server`.
    pub(crate) fn new(what: impl Into<String>, command: Command) -> Self {
        Self { what: what.into(), command, limit: Duration::from_hours(1), silent: false }
    }

    /// Sets the timeout after which the child is ended.
    pub(crate) fn limit(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Hides the child's output, and shows it only if the step fails.
    pub(crate) fn silent(mut self) -> Self {
        self.silent = true;
        self
    }

    /// Runs the step. Fails if the child does not start, fails or takes too long.
    pub(crate) fn run(self) -> Result<()> {
        self.run_with(|_| ()).and_then(Outcome::into_result)
    }

    /// Runs the step and passes on each line of its standard output, which is shown as well.
    ///
    /// A child that ran and failed is an [`Outcome`], not an error.
    pub(crate) fn run_with(mut self, mut line: impl FnMut(&str)) -> Result<Outcome> {
        say(format_args!("{} ...", self.what));
        let started = Instant::now();
        let error_output = if self.silent { Stdio::piped() } else { Stdio::inherit() };
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(error_output);
        if !self.silent && std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            self.command.env("CARGO_TERM_COLOR", "always");
        }
        let mut child = self.command.spawn().with_context(|| format!("{}: did not start", self.what))?;
        let (sender, lines) = std::sync::mpsc::channel::<String>();
        for pipe in pipes(&mut child) {
            let sender = sender.clone();
            thread::spawn(move || {
                let mut pipe = BufReader::new(pipe);
                let mut bytes = Vec::new();
                while pipe.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
                    let text = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
                    bytes.clear();
                    if sender.send(text).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);

        let mut kept = Vec::new();
        let mut beat = started + HEARTBEAT;
        let mut take = |text: String| {
            line(&text);
            if self.silent { kept.push(text) } else { println!("{text}") }
        };
        let status = loop {
            while let Ok(text) = lines.try_recv() {
                take(text);
            }
            if let Some(status) = child.try_wait()? {
                break status;
            }
            let now = Instant::now();
            if now.duration_since(started) > self.limit {
                end(&mut child)?;
                show(&kept);
                bail!("{}: ended after {} s, which is its limit", self.what, self.limit.as_secs());
            }
            if self.silent && now > beat {
                say(format_args!("{}: still at it after {}", self.what, seconds(now.duration_since(started))));
                beat = now + HEARTBEAT;
            }
            thread::sleep(POLL);
        };
        // A grandchild may keep the pipe open, so the wait for the rest has a timeout.
        while let Ok(text) = lines.recv_timeout(Duration::from_secs(2)) {
            take(text);
        }
        let took = started.elapsed();
        if status.success() {
            say(format_args!("{}: {}", self.what, seconds(took)));
        } else {
            show(&kept);
        }
        Ok(Outcome { what: self.what, status, took })
    }
}

/// Result of a step.
#[derive(Debug)]
pub(crate) struct Outcome {
    what: String,
    status: ExitStatus,
    /// Duration of the step.
    pub(crate) took: Duration,
}

impl Outcome {
    /// True if the child succeeded.
    pub(crate) fn success(&self) -> bool {
        self.status.success()
    }

    fn into_result(self) -> Result<()> {
        if self.success() {
            return Ok(());
        }
        bail!("{}: failed after {} ({})", self.what, seconds(self.took), self.status)
    }
}

/// Formats a duration for people.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn pipes(child: &mut Child) -> Vec<Box<dyn Read + Send>> {
    let output = child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let errors = child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    output.into_iter().chain(errors).collect()
}

fn show(kept: &[String]) {
    for text in kept {
        eprintln!("  | {text}");
    }
}

/// Requests the end before it kills: a killed package manager leaves its lock and half a package behind.
fn end(child: &mut Child) -> Result<()> {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _gone_already = kill(Pid::from_raw(pid), Signal::SIGTERM);
    }
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        thread::sleep(POLL);
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_are_handed_over_and_a_failure_is_an_outcome() {
        let mut seen = Vec::new();
        let outcome = Step::new("two lines", shell("echo one; echo two >&2; exit 3"))
            .silent()
            .run_with(|line| seen.push(line.to_owned()))
            .expect("it ran");
        seen.sort();
        assert_eq!(seen, ["one", "two"]);
        assert!(!outcome.success());
        let error = outcome.into_result().expect_err("exit status 3");
        assert!(error.to_string().contains("two lines"), "{error}");
    }

    #[test]
    fn a_child_that_takes_too_long_is_ended() {
        let error =
            Step::new("long sleep", shell("exec sleep 600")).silent().limit(0).run().expect_err("over the limit");
        assert!(error.to_string().contains("limit"), "{error}");
    }

    #[test]
    fn a_child_has_no_standard_input_to_wait_on() {
        Step::new("cat", shell("cat")).silent().limit(60).run().expect("cat ends at once");
    }

    #[test]
    fn a_program_that_does_not_exist_is_said() {
        let error = Step::new("nothing", Command::new("/nonexistent/program")).run().expect_err("no program");
        assert!(error.to_string().contains("did not start"), "{error}");
    }
}
