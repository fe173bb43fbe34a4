//! Control client: one long-lived tmux client that answers queries without a process for each, and reports within a
//! second when a managed session has changed.
//!
//! It is attached to a session of its own, `loop-watch-<pid>-<n>`, in which one shell waits for the end of this
//! process. No session that an operator works in ever counts as attached by it. It never starts a server (`-N`).
//!
//! Order matters at the end: the client first, then its session. A 3.3a server crashes if a session ends whose client
//! is just leaving, as happens with `destroy-unattached` whenever the client's process dies. And a client whose pipes
//! are closed during an answer never exits on its own. So the shell ends the client, waits until the server has
//! released it, and ends; the session ends with the shell.
//!
//! Invariant: the owner of a control client drops it once no managed session is left. Otherwise it would keep the
//! server alive.

mod protocol;

use std::{
    fmt,
    fs::File,
    io::{self, Read as _, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd},
        unix::process::ExitStatusExt as _,
    },
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Instant,
};

use process::ready;
use protocol::{Heard, PREFIX, Reader, SUBSCRIPTION, command_line};
use rustix::{
    event::PollFlags,
    io::ioctl_fionbio,
    pipe::{PipeFlags, pipe_with},
};
use wire::TMUX_PREFIX;

use super::{DEADLINE, Silence, Tmux, call::Output};

/// Format whose changes are reported: every field of a pane that a verdict depends on, and the time of its window's
/// last output.
const SIGNAL: &str = "#{session_name}\t#{pane_id}\t#{pane_pid}\t#{pane_dead}\t#{pane_dead_status}\t\
                      #{pane_dead_signal}\t#{@loop_id}\t#{@loop_pane}\t#{@loop_root}\t#{window_activity}\t#{pane_title}";

/// Script that waits until a file is at its end, ends the clients of a session, and exits. Arguments: the file, tmux,
/// the session.
const GUARD: &str = "read _ <\"$1\"\n\
                     while c=$(\"$2\" list-clients -t \"$3\" -F '#{client_pid}') && [ -n \"$c\" ]; do\n\
                     kill -9 $c; sleep 0.1\ndone";

/// Counter of this process's control clients, since each needs a name of its own.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Connected control client. Dropping it ends it and its session.
#[derive(Debug)]
pub struct Control {
    client: Child,
    input: File,
    output: File,
    reader: Reader,
    /// True if a change was reported that no caller has taken yet.
    changed: bool,
    ended: bool,
    /// Pipe that closes when this is dropped or this process ends; the shell in its session waits for that.
    _alive: (OwnedFd, OwnedFd),
}

impl Tmux {
    /// Connects a control client that reports changes to the server, which must be running.
    pub fn connect(&self) -> Result<Control, Silence> {
        let mut control = self.connect_quietly()?;
        let sessions = format!("#{{?#{{m:{TMUX_PREFIX}*,#{{session_name}}}},#{{W:#{{P:{SIGNAL}\t\t}}}},}}");
        let subscribed = control.ask(&["refresh-client", "-B", &format!("{SUBSCRIPTION}::#{{S:{sessions}}}")])?;
        if !subscribed.status.success() {
            return Err(subscribed.silence());
        }
        Ok(control)
    }

    /// Connects a control client that only answers, and reports no more than new and closed sessions and windows.
    pub fn connect_quietly(&self) -> Result<Control, Silence> {
        let session = format!("{PREFIX}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let (target, exact) = (format!("={session}:"), format!("={session}"));
        let unspawned = |error: &dyn fmt::Display| Silence(format!("could not run tmux: {error}"));
        let alive = pipe_with(PipeFlags::CLOEXEC).map_err(|error| unspawned(&error))?;
        let end = format!("/proc/{}/fd/{}", std::process::id(), alive.0.as_raw_fd());
        let tmux = self.program("tmux").display().to_string();
        let mut command = self.command(&[]);
        #[rustfmt::skip]
        command.args([
            "-N", "-C", "new-session", "-f", "ignore-size,no-output,read-only", "-s", &session, "-n", "watch",
            "-x", "20", "-y", "5",
            "--", "sh", "-c", GUARD, "sh", &end, &tmux, &exact, ";",
            // Otherwise the end of its session would move the client to a session that an operator works in.
            "set-option", "-t", &target, "detach-on-destroy", "on", ";",
            "set-option", "-w", "-t", &target, "remain-on-exit", "off",
        ]);
        Control::begin(&mut command, alive).map_err(|error| unspawned(&error))
    }
}

impl Control {
    fn begin(command: &mut Command, alive: (OwnedFd, OwnedFd)) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut client = command.spawn()?;
        let ends = (client.stdin.take(), client.stdout.take());
        let (Some(input), Some(output)) = ends else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let (input, output) = (File::from(OwnedFd::from(input)), File::from(OwnedFd::from(output)));
        let reader = Reader::default();
        let begun = Self { client, input, output, reader, changed: false, ended: false, _alive: alive };
        ioctl_fionbio(&begun.input, true)?;
        ioctl_fionbio(&begun.output, true)?;
        Ok(begun)
    }

    /// Returns a descriptor that becomes readable when the client prints something, or ends.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    /// True once the client cannot be used any more.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Reads pending output without waiting. True if something changed since the last call, or the client ended.
    pub fn take_change(&mut self) -> bool {
        self.take_in();
        while let Some(heard) = self.reader.next() {
            self.note(&heard);
        }
        std::mem::take(&mut self.changed) || self.ended
    }

    /// Runs the commands of one invocation. A timeout ends the client: its late output could be mistaken for another
    /// answer.
    pub(crate) fn ask(&mut self, words: &[&str]) -> Result<Output, Silence> {
        let answer = self.asked(words, Instant::now() + DEADLINE);
        if answer.is_none() {
            self.ended = true;
        }
        answer.ok_or_else(|| Silence(format!("no answer within {} s", DEADLINE.as_secs())))
    }

    /// Runs the commands between marks. A failing command ends its line, so answers cannot be counted: the marks show
    /// where they begin and end.
    fn asked(&mut self, words: &[&str], deadline: Instant) -> Option<Output> {
        let [begin, end] = [0, 1].map(|_| uuid::Uuid::new_v4().simple().to_string());
        let print = |mark: &str| command_line(&["display-message", "-p", mark]);
        let lines = format!("{}\n{}\n{}\n", print(&begin), command_line(words), print(&end));
        self.write(lines.as_bytes(), deadline)?;
        let (mut answer, mut begun) = (Output::empty(), false);
        loop {
            while let Some(heard) = self.reader.next() {
                self.note(&heard);
                let Heard::Block { text, failed } = heard else { continue };
                let is = |mark: &str| text.strip_suffix(b"\n") == Some(mark.as_bytes());
                match (begun, failed) {
                    (false, _) => begun = is(&begin),
                    (true, _) if is(&end) => return Some(answer),
                    (true, false) => answer.stdout.extend(text),
                    (true, true) => {
                        answer.status = ExitStatus::from_raw(1 << 8);
                        answer.stderr.push_str(&String::from_utf8_lossy(&text));
                    }
                }
            }
            if self.ended {
                return None;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            ready(&self.output, PollFlags::IN, left);
            self.take_in();
        }
    }

    fn note(&mut self, heard: &Heard) {
        match heard {
            Heard::Changed => self.changed = true,
            Heard::Ended => self.ended = true,
            Heard::Block { .. } => {}
        }
    }

    fn write(&mut self, mut bytes: &[u8], deadline: Instant) -> Option<()> {
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    ready(&self.input, PollFlags::OUT, left);
                }
                Err(_) => return None,
            }
        }
        Some(())
    }

    /// Reads available output without waiting for more.
    fn take_in(&mut self) {
        let mut chunk = [0; 16 * 1024];
        loop {
            match self.output.read(&mut chunk) {
                Ok(0) => break self.ended = true,
                Ok(read) => self.reader.push(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => break self.ended = true,
            }
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // Order matters: the client first, then, as the pipe closes, its session.
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}
