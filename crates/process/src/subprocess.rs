//! Runs a command with limits on the time and on the length of its output.
//!
//! The limits hold whatever the program leaves behind: its own end counts, not the end of the pipe, which a daemon that
//! it started may keep open forever.

use std::{
    io::{self, Read},
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open},
};

/// Maximum bytes of output.
const LENGTH: usize = 1024 * 1024;

/// Time that the kernel may take to end a killed process.
const KILL_WAIT: Duration = Duration::from_secs(1);

/// Poll interval where the kernel does not report the program's end.
const LOOK: Duration = Duration::from_millis(10);

/// Runs a command and returns its standard output. A late or failed answer is an error. The caller sets its directory
/// and environment.
pub fn ask(command: &mut Command, limit: Duration) -> Result<String, String> {
    crate::blocking::about_to("a program is waited for");
    let shown = match command.get_args().next() {
        Some(first) => format!("{} {}", command.get_program().display(), first.display()),
        None => command.get_program().display().to_string(),
    };
    let failed = |what: &dyn std::fmt::Display| format!("{shown}: {what}");
    // A process group of its own, so that its children are ended with it if it takes too long.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut asked = Asked::spawn(command).map_err(|error| failed(&error))?;
    let status = match asked.wait(Instant::now() + limit) {
        Ok(Some(status)) => status,
        Ok(None) => {
            asked.end();
            return Err(failed(&format_args!("no answer within {} s", limit.as_secs_f64())));
        }
        Err(error) => {
            asked.end();
            return Err(failed(&error));
        }
    };
    if !status.success() {
        return Err(failed(&status));
    }
    String::from_utf8(asked.answer).map_err(|error| failed(&error.utf8_error()))
}

/// Running program and its output so far.
struct Asked {
    child: Child,
    /// Descriptor that is readable once the program has ended; `None` where the kernel does not report that.
    ended: Option<OwnedFd>,
    /// Output pipe; `None` once it is closed or enough was read.
    stdout: Option<ChildStdout>,
    answer: Vec<u8>,
}

impl Asked {
    fn spawn(command: &mut Command) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let ended = pid(&child).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let stdout = child.stdout.take();
        let mut asked = Self { child, ended, stdout, answer: Vec::new() };
        if let Some(stdout) = &asked.stdout
            && let Err(error) = rustix::io::ioctl_fionbio(stdout, true)
        {
            asked.end();
            return Err(error.into());
        }
        Ok(asked)
    }

    /// Reads until the program has ended; `None` after the deadline.
    fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            // Order matters: check for the end first, then read for the last time.
            let status = self.child.try_wait()?;
            self.read();
            if status.is_some() {
                return Ok(status);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.sleep(left)?;
        }
    }

    /// Reads available output without waiting for more.
    fn read(&mut self) {
        let Some(stdout) = &mut self.stdout else { return };
        let mut chunk = [0; 8192];
        while self.answer.len() < LENGTH {
            let room = chunk.len().min(LENGTH - self.answer.len());
            match stdout.read(&mut chunk[..room]) {
                Ok(read) if read > 0 => self.answer.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(_) | Err(_) => break,
            }
        }
        self.stdout = None;
    }

    /// Waits until it prints more or ends.
    fn sleep(&self, left: Duration) -> io::Result<()> {
        let left = if self.ended.is_some() { left } else { left.min(LOOK) };
        let timeout =
            Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() };
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
        fds.extend(self.ended.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(self.stdout.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the program and its process group. A process that the kernel cannot end is not waited for.
    fn end(&mut self) {
        if let Some(pid) = pid(&self.child) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.kill();
        let deadline = Instant::now() + KILL_WAIT;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::identity::ProcessIdentity;

    const LONG: Duration = Duration::from_mins(2);

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// Returns the process whose pid a script writes into a file.
    fn noted(file: &Path) -> ProcessIdentity {
        loop {
            let text = fs::read_to_string(file).unwrap_or_default();
            if let Some(process) = text.trim().parse().ok().and_then(ProcessIdentity::of) {
                return process;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_answer_is_given_though_a_daemon_that_the_program_left_keeps_the_pipe_open() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("pid");
        // It leaves the group, as a daemon does, and runs longer than the test waits.
        let script = format!("setsid sleep 600 & echo $! > {}; echo the-id", file.display());
        let begun = Instant::now();
        assert_eq!(ask(&mut sh(&script), LONG).as_deref(), Ok("the-id\n"));
        assert!(begun.elapsed() < LONG, "the program's own end counts");
        let daemon = noted(&file);
        assert!(daemon.is_alive(), "it is not ours to end");
        daemon.hold().expect("alive").kill().expect("ended");
    }

    #[test]
    fn one_that_takes_too_long_is_ended_with_what_it_started() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        let told = ask(&mut sh(&script), Duration::from_secs(1)).expect_err("no answer");
        assert!(told.contains("no answer within 1 s"), "{told}");
        if let Some(left) = fs::read_to_string(&file).ok().and_then(|pid| pid.trim().parse().ok()) {
            while ProcessIdentity::of(left).is_some() {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_failure_an_early_end_of_output_and_too_much_of_it() {
        assert!(ask(&mut sh("echo half; exit 3"), LONG).is_err_and(|told| told.contains("exit status: 3")));
        assert_eq!(ask(&mut sh("echo whole; exec >&-; sleep 0.2"), LONG).as_deref(), Ok("whole\n"));
        let long = ask(&mut sh("head -c 3000000 /dev/zero | tr '\\0' x; exit 0"), LONG).expect("an answer");
        assert_eq!(long.len(), LENGTH);
        assert!(ask(&mut Command::new("/nonexistent/program"), LONG).is_err());
    }
}
