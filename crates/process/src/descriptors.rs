//! Descriptors that the caller left open: a lock, a pipe. Programs started here (tmux's server, the service, an agent)
//! outlive the caller and must not hold them.

use std::{
    env, fs,
    os::fd::{AsFd, IntoRawFd, RawFd},
};

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

/// Close-on-exec bit of a descriptor, as `/proc/<pid>/fdinfo` shows it.
const CLOSED_ON_EXEC: u32 = 0o2_000_000;

/// Releases every descriptor of the caller above standard error. A descriptor that an argument or a variable names,
/// such as `/dev/fd/63` of a process substitution, stays open for this process only. The socket that systemd passes
/// stays as it is.
///
/// Must be called at the start of a program, before anything of its own is open.
pub fn release() {
    let words: Vec<_> = env::args_os().chain(env::vars_os().map(|(_, value)| value)).collect();
    let named = |fd: RawFd| {
        let ends = [format!("/dev/fd/{fd}"), format!("/proc/self/fd/{fd}")];
        words.iter().any(|word| {
            let word = word.to_string_lossy();
            ends.iter().any(|end| word.ends_with(end) || word.contains(&format!("{end}:")))
        })
    };
    let first = if holds_a_socket_of_systemd() { 4 } else { 3 };
    for fd in inherited().into_iter().filter(|fd| *fd >= first) {
        if named(fd) {
            let _ = keep_for_this_process(fd);
        } else {
            let _ = nix::unistd::close(fd);
        }
    }
}

/// True if systemd passes a socket, which is then the first descriptor above standard error.
fn holds_a_socket_of_systemd() -> bool {
    let number = |key: &str| env::var(key).ok()?.parse::<u32>().ok();
    number("LISTEN_PID") == Some(std::process::id()) && number("LISTEN_FDS").is_some_and(|count| count > 0)
}

/// Lists the open descriptors that a program started from here would inherit.
fn inherited() -> Vec<RawFd> {
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|fd| flags(*fd).is_some_and(|flags| flags & CLOSED_ON_EXEC == 0)).collect()
}

fn flags(fd: RawFd) -> Option<u32> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).ok()?;
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
    u32::from_str_radix(flags.trim(), 8).ok()
}

/// Replaces a descriptor by a copy that is closed on exec.
fn keep_for_this_process(fd: RawFd) -> rustix::io::Result<()> {
    let ourselves = pidfd_open(getpid(), PidfdFlags::empty())?;
    let copy = pidfd_getfd(ourselves.as_fd(), fd, PidfdGetfdFlags::empty())?;
    if nix::unistd::close(fd).is_ok() {
        // It is the lowest free number from there on: nothing else runs yet.
        let _ = rustix::io::fcntl_dupfd_cloexec(&copy, fd)?.into_raw_fd();
    }
    Ok(())
}
