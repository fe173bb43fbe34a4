//! Signals read from a descriptor, so that one wait handles both signals and keys.

use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::{
    signal::{SigSet, Signal},
    signalfd::{SfdFlags, SignalFd},
};

/// Signals that this program handles. They are blocked for the process and wait in the descriptor.
pub(super) struct Signals(SignalFd);

impl Signals {
    /// Takes over TERM, HUP, INT, QUIT and WINCH.
    pub(super) fn take() -> Result<Self, String> {
        let mut set = SigSet::empty();
        for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGWINCH] {
            set.add(signal);
        }
        set.thread_block()
            .and_then(|()| SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK))
            .map(Self)
            .map_err(|error| format!("cannot take over signals: {error}"))
    }

    /// Returns the next pending signal, if any.
    pub(super) fn next(&self) -> Option<Signal> {
        let info = self.0.read_signal().ok().flatten()?;
        i32::try_from(info.ssi_signo).ok().and_then(|number| Signal::try_from(number).ok())
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Blocks a signal from here on; children started later inherit that.
pub(super) fn block(signal: Signal) -> Result<(), String> {
    let mut set = SigSet::empty();
    set.add(signal);
    set.thread_block().map_err(|error| format!("cannot block {signal}: {error}"))
}
