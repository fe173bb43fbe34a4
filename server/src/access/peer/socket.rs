//! A TCP socket of this machine: its owner, and the process that has it open.

use std::fs;

/// Socket in the kernel's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Socket {
    pub(super) uid: u32,
    /// Inode, never 0: that is a socket which its process has closed, and whose owner the kernel gives as root.
    pub(super) inode: u64,
}

impl Socket {
    /// Returns the process that has the socket open. Of several, it is the oldest: the others inherited the socket from
    /// it, as a child does for the moment before it executes another program. Searches all processes.
    pub(super) fn holder(self) -> Option<u32> {
        let wanted = format!("socket:[{}]", self.inode);
        let holds = |pid: &u32| {
            let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            open.into_iter().any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.as_os_str() == wanted.as_str()))
        };
        let processes = fs::read_dir("/proc").ok()?.flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(holds).min_by_key(|&pid| started(pid))
    }
}

/// Returns the start time of a process, in clock ticks since the machine booted.
fn started(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_ascii_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(u64::MAX)
}
