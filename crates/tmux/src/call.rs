//! Single invocation of tmux, with a timeout.
//!
//! Standard input, output and error are memory files: nothing can block on a full pipe, and a killed client leaves no
//! half-written pipe. A client that does not end in time is killed and reported as silence. Its command may still take
//! effect later, so a timeout means "unknown", not "did not happen".

use std::{
    env,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    os::{
        fd::OwnedFd,
        unix::process::{CommandExt as _, ExitStatusExt as _},
    },
    path::PathBuf,
    process::{Child, Command, ExitStatus},
    sync::{PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use nix::sys::memfd::{MFdFlags, memfd_create};
use process::{blocking, readable};
use rustix::{
    fs::{Access, access},
    process::{Pid, PidfdFlags, pidfd_open},
};

use super::{Answer, DEADLINE, IMPATIENT, Silence, Tmux};

/// Text that reports a refused system call.
pub(crate) const REFUSED_CALL: &str = "the system call";

/// Maximum number of retries of a query whose server ended before it answered.
const ASKED_AGAIN: u32 = 5;

/// Output and exit status of one invocation.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Output {
    /// Returns a success without output.
    pub(crate) fn empty() -> Self {
        Self { status: ExitStatus::from_raw(0), stdout: Vec::new(), stderr: String::new() }
    }

    /// Returns the silence for an answer that is not understood.
    pub(crate) fn silence(&self) -> Silence {
        let said = self.stderr.trim();
        Silence(if said.is_empty() { format!("tmux ended with {}", self.status) } else { format!("it said: {said}") })
    }

    /// True if tmux says that there is no server: its socket is missing, or no process listens on it.
    pub(crate) fn no_server(&self) -> bool {
        self.stderr.contains("no server running on")
            || (self.stderr.contains("error connecting to")
                && (self.stderr.contains("No such file or directory") || self.stderr.contains("Connection refused")))
    }

    /// True if the server ended during the query, as it does with its last session.
    pub(crate) fn server_ended(&self) -> bool {
        self.stderr.contains("server exited")
    }

    /// True if there is a server without any session: it has just started, or is about to end.
    pub(crate) fn no_session(&self) -> bool {
        self.stderr.contains("no current target")
    }

    /// True if tmux says that the target of a command does not exist.
    pub(crate) fn no_target(&self) -> bool {
        ["can't find session", "can't find pane", "can't find window", "no such session"]
            .iter()
            .any(|said| self.stderr.contains(said))
    }
}

impl Tmux {
    /// Runs one invocation. `args` are separate words; a lone `;` separates commands.
    pub(crate) fn call(&self, args: &[&str], stdin: &[u8]) -> Answer<Output> {
        self.call_by(&[], args, stdin)
    }

    /// Runs one invocation through another program, given with its arguments, that becomes tmux.
    pub(crate) fn call_by(&self, by: &[&str], args: &[&str], stdin: &[u8]) -> Answer<Output> {
        blocking::about_to("tmux is asked");
        let _permit = self.permits.take();
        let begun = Instant::now();
        let through = if by.is_empty() && stdin.is_empty() { self.through_line(args) } else { None };
        let answer = through.unwrap_or_else(|| self.call_uncounted(by, args, stdin));
        (self.observer.called)(begun, matches!(answer, Answer::Said(_)));
        answer
    }

    fn call_uncounted(&self, by: &[&str], args: &[&str], stdin: &[u8]) -> Answer<Output> {
        match self.run(by, args, stdin) {
            Ok(Some(output)) if output.stderr.contains("access not allowed") => Answer::Silent(output.silence()),
            Ok(Some(output)) => Answer::Said(output),
            Ok(None) => Answer::Silent(Silence(format!("no answer within {} s", DEADLINE.as_secs()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Answer::Silent(Silence(
                "the program `tmux` was not found on PATH: install tmux 3.2 or newer".to_owned(),
            )),
            Err(error) => Answer::Silent(Silence(format!("could not run tmux: {error}"))),
        }
    }

    /// Queries the control client, if there is one that answers. After a failure it is not used again.
    fn through_line(&self, args: &[&str]) -> Option<Answer<Output>> {
        let mut line = self.line.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let output = (!line.has_ended()).then(|| line.ask(args))?;
        output.ok().map(Answer::Said)
    }

    /// Runs a read-only query and retries it a few times until the answer passes `answered`.
    pub(crate) fn call_until(&self, args: &[&str], answered: impl Fn(&Output) -> bool) -> Answer<Output> {
        for _ in 0..ASKED_AGAIN {
            match self.call(args, b"") {
                Answer::Said(output) if !answered(&output) => {}
                answer => return answer,
            }
        }
        self.call(args, b"")
    }

    /// Builds the command of a client of this server, run by another program if one is given. The caller adds the
    /// words.
    pub(crate) fn command(&self, by: &[&str]) -> Command {
        let mut words = by.iter().copied().chain(["tmux"]);
        let name = words.next().unwrap_or("tmux");
        let mut command = Command::new(self.program(name));
        command.arg0(name).args(words);
        // `-u`: without it a C locale turns every non-ASCII character of an answer into `_`.
        command.arg("-u");
        if let Some(path) = &self.path {
            command.arg("-S").arg(path);
        } else if !self.socket.is_empty() {
            command.args(["-L", &self.socket]);
        }
        command.env_clear().envs(self.env.iter().map(|(key, value)| (key, value))).current_dir("/");
        command
    }

    fn run(&self, by: &[&str], args: &[&str], stdin: &[u8]) -> io::Result<Option<Output>> {
        let (mut input, mut out, mut err) = (memory("in")?, memory("out")?, memory("err")?);
        input.write_all(stdin)?;
        input.seek(SeekFrom::Start(0))?;
        let mut command = self.command(by);
        command.args(args).stdin(input).stdout(out.try_clone()?).stderr(err.try_clone()?);
        let mut child = command.spawn()?;
        let limit = if self.unanswered.load(Ordering::Relaxed) { IMPATIENT } else { DEADLINE };
        let ended = wait(&mut child, limit)?;
        self.unanswered.store(ended.is_none(), Ordering::Relaxed);
        let Some(status) = ended else { return Ok(None) };
        Ok(Some(Output {
            status,
            stdout: read_back(&mut out)?,
            stderr: String::from_utf8_lossy(&read_back(&mut err)?).into_owned(),
        }))
    }
}

impl Tmux {
    /// Returns the file of a program, looked up on the PATH that it is given. A program named by its path is spawned
    /// without first copying this process's memory map, which costs a service more than the call itself. A program that
    /// is not found keeps its name: the spawn then reports why.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let path = self.env.iter().find(|(key, _)| key == "PATH").map(|(_, value)| value.as_os_str());
        let dirs = env::split_paths(path.unwrap_or_default()).filter(|dir| dir.is_absolute());
        let file = dirs.map(|dir| dir.join(name)).find(|file| access(file, Access::EXEC_OK).is_ok() && file.is_file());
        file.unwrap_or_else(|| PathBuf::from(name))
    }
}

fn memory(name: &str) -> io::Result<File> {
    let fd: OwnedFd = memfd_create(name, MFdFlags::MFD_CLOEXEC).map_err(|error| refused("memfd_create", &error))?;
    Ok(File::from(fd))
}

fn read_back(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn refused(call: &str, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("{REFUSED_CALL} `{call}` was refused ({error})"))
}

/// Waits for a child process; `None` after the timeout, with the child killed and reaped.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    let fd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => fd,
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(refused("pidfd_open", &error));
        }
    };
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        readable(&fd, left);
    }
}
