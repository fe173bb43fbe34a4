//! Process identity, liveness, and signals that cannot reach another process.
//!
//! A pid alone does not identify a process: it is reused. Here a process is its pid together with its start tick and
//! its boot. Signals go through a pidfd that was opened before the identity was checked. A process that the-loop
//! started is identified by the id in its environment. Nothing here may signal a process without such an
//! identification.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    os::fd::{AsFd, OwnedFd},
    path::Path,
    sync::LazyLock,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use serde::{Deserialize, Serialize};

use crate::marks::LOOP_ID_VAR;

pub(crate) static BOOT_ID: LazyLock<String> = LazyLock::new(|| {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
});

/// Identity of a process, unique even after a reboot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessIdentity {
    /// Process id.
    pub pid: u32,
    /// Field 22 of `/proc/<pid>/stat`: start time in clock ticks since boot.
    pub start_ticks: u64,
    /// Boot in which those ticks count.
    pub boot_id: String,
}

/// Open handle of one process: it cannot come to mean another one.
#[derive(Debug)]
pub struct ProcessHold {
    fd: OwnedFd,
    /// Process that is held.
    pub identity: ProcessIdentity,
}

impl ProcessIdentity {
    /// Identifies the process that currently has a pid; `None` if it is dead.
    pub fn of(pid: u32) -> Option<Self> {
        let (state, start_ticks) = state_and_start(&stat(pid)?)?;
        (state != 'Z' && state != 'X').then(|| Self { pid, start_ticks, boot_id: BOOT_ID.clone() })
    }

    /// True if this very process is alive.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }

    /// True if this very process is alive and stopped (SIGSTOP): it answers nothing until it continues.
    pub fn is_stopped(&self) -> bool {
        let stat = stat(self.pid).unwrap_or_default();
        self.is_alive() && state_and_start(&stat).is_some_and(|(state, _)| state == 'T')
    }

    /// True if the process has released its memory, as a process does before it closes its files and ends.
    pub fn is_ending(&self) -> bool {
        let exe = fs::read_link(format!("/proc/{}/exe", self.pid));
        exe.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the time since its start, by a clock that setting the time does not move; `None` if it could not be
    /// determined.
    pub fn age(&self) -> Option<Duration> {
        let uptime = fs::read_to_string("/proc/uptime").ok()?;
        let uptime = Duration::try_from_secs_f64(uptime.split_ascii_whitespace().next()?.parse().ok()?).ok()?;
        let ticks = rustix::param::clock_ticks_per_second();
        let started = Duration::from_millis(self.start_ticks.saturating_mul(1000) / ticks.max(1));
        Some(uptime.saturating_sub(started))
    }

    /// Opens a handle of this very process, unless it is gone.
    pub fn hold(&self) -> Option<ProcessHold> {
        // Order matters: the pidfd first, then the check that it is still the intended process.
        let pid = Pid::from_raw(i32::try_from(self.pid).ok()?)?;
        let fd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        self.is_alive().then(|| ProcessHold { fd, identity: self.clone() })
    }
}

impl ProcessHold {
    /// Opens a handle of the process that currently has that pid, unless it is dead.
    pub fn of(pid: u32) -> Option<Self> {
        ProcessIdentity::of(pid)?.hold()
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.identity.pid
    }

    /// Asks the process to end; false if it was gone already.
    pub fn terminate(&self) -> io::Result<bool> {
        self.signal(Signal::TERM)
    }

    /// Kills the process; false if it was gone already.
    pub fn kill(&self) -> io::Result<bool> {
        self.signal(Signal::KILL)
    }

    /// Sends a signal; false if the process was gone already.
    pub fn signal(&self, signal: Signal) -> io::Result<bool> {
        match pidfd_send_signal(&self.fd, signal) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::SRCH) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until the process has ended; true if it did within `limit`.
    pub fn wait(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if readable(&self.fd, left) {
                return true;
            }
            if left.is_zero() {
                return false;
            }
        }
    }

    /// True if the process's environment carries a session's id.
    pub fn carries(&self, loop_id: &str) -> bool {
        has_variable(self.identity.pid, LOOP_ID_VAR, loop_id)
    }
}

/// Waits for a pidfd to become readable, which it does when its process ends.
pub fn readable(fd: &OwnedFd, limit: Duration) -> bool {
    ready(fd, PollFlags::IN, limit)
}

/// Waits until a file can be read from or written to.
pub fn ready(fd: &impl AsFd, how: PollFlags, limit: Duration) -> bool {
    let timeout =
        Timespec { tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: limit.subsec_nanos().into() };
    let mut fds = [PollFd::new(fd, how)];
    matches!(poll(&mut fds, Some(&timeout)), Ok(ready) if ready > 0)
}

/// Lists the descendants of a process from the kernel's lists of children: fast, and a snapshot only. It misses an
/// orphan that another process adopted, and a process that another thread than the first one started.
pub fn descendants(pid: u32) -> Vec<u32> {
    /// Limit above which a tree is not an agent with its helpers.
    const MOST: usize = 256;
    let mut found = Vec::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop().filter(|_| found.len() < MOST) {
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
        let children: Vec<u32> = children.split_ascii_whitespace().filter_map(|child| child.parse().ok()).collect();
        parents.extend(&children);
        found.extend(children);
    }
    found
}

/// Returns a process and its living ancestors, the nearest first.
pub fn lineage(pid: u32) -> Vec<u32> {
    let mut line = vec![pid];
    // A pid may be reused between two reads, so the ancestry could contain a cycle.
    while let Some(parent) = line.last().and_then(|&pid| parent(pid)).filter(|pid| *pid > 1 && !line.contains(pid)) {
        line.push(parent);
    }
    line
}

fn parent(pid: u32) -> Option<u32> {
    let stat = stat(pid)?;
    // After the name: state, parent.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// True if a process was started with a variable of that value.
pub(crate) fn has_variable(pid: u32, key: &str, value: &str) -> bool {
    let Ok(environ) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    let wanted = format!("{key}={value}");
    environ.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes())
}

/// Returns the value of a variable in another process's environment, if it may be read.
pub fn variable_of(pid: u32, key: &str) -> Option<String> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let value = environ.split(|&byte| byte == 0).find_map(|entry| entry.strip_prefix(format!("{key}=").as_bytes()))?;
    String::from_utf8(value.to_vec()).ok()
}

/// True if a process runs a program of that name, directly or through an interpreter.
pub fn runs(pid: u32, program: &str) -> bool {
    let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else { return false };
    let base = |word: &[u8]| Path::new(&*String::from_utf8_lossy(word)).file_name().map(ToOwned::to_owned);
    let wanted = Path::new(program).file_name().map(ToOwned::to_owned);
    line.split(|&byte| byte == 0).take(2).any(|word| base(word) == wanted)
}

/// Returns the name of a process, for people.
pub fn command_name(pid: u32) -> String {
    fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("comm"))
        .map(|name| name.trim().to_owned())
        .unwrap_or_default()
}

/// Reads `/proc/<pid>/stat`. One read is enough for a buffer above any such line, and lists read hundreds of them.
fn stat(pid: u32) -> Option<String> {
    let mut line = [0; 4096];
    let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
    loop {
        match file.read(&mut line) {
            Ok(length) => return Some(String::from_utf8_lossy(&line[..length]).into_owned()),
            // A signal of this process says nothing about the other one.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Parses state letter and start tick from `/proc/<pid>/stat`, whose second field may contain anything, parentheses
/// included.
pub(crate) fn state_and_start(stat: &str) -> Option<(char, u64)> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    // The state is field 3; the start is field 22, so 18 lie between.
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::scan::carrying;

    fn sleeper(id: &str) -> std::process::Child {
        Command::new("sleep").arg("600").env(LOOP_ID_VAR, id).stdin(Stdio::null()).spawn().expect("sleep starts")
    }

    #[test]
    fn the_name_of_a_process_cannot_shift_its_fields() {
        let stat = "7 (a) b ) R 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 1 18446744073709551615";
        assert_eq!(state_and_start(stat), Some(('R', 4242)));
    }

    #[test]
    fn a_process_is_found_by_our_id_and_ended_through_its_hold() {
        let id = uuid::Uuid::new_v4().to_string();
        let mut child = sleeper(&id);
        let bystander_id = uuid::Uuid::new_v4().to_string();
        let mut bystander = sleeper(&bystander_id);
        // The child carries the id only after its exec.
        while carrying(&id).is_empty() {
            std::thread::yield_now();
        }
        let held = carrying(&id);
        assert_eq!(held.iter().map(|h| h.identity.pid).collect::<Vec<_>>(), [child.id()]);
        assert!(!held[0].wait(Duration::ZERO));
        assert!(held[0].signal(Signal::TERM).expect("signalled"));
        assert!(held[0].wait(Duration::from_secs(10)));
        assert!(!held[0].identity.is_alive(), "a zombie counts as dead");
        child.wait().expect("reaped");
        assert!(!held[0].signal(Signal::TERM).expect("gone is no error"));
        assert!(bystander.try_wait().expect("asked").is_none(), "the bystander lives");
        bystander.kill().expect("ended");
        bystander.wait().expect("reaped");
    }

    #[test]
    fn a_reused_pid_is_a_stranger() {
        let mut other = ProcessIdentity::of(std::process::id()).expect("we live");
        assert!(other.is_alive());
        other.start_ticks += 1;
        assert!(!other.is_alive());
        assert!(other.hold().is_none());
        let mut rebooted = ProcessIdentity::of(std::process::id()).expect("we live");
        rebooted.boot_id = "another boot".to_owned();
        assert!(!rebooted.is_alive());
    }
}
