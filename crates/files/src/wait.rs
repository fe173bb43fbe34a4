//! Waits for the kernel with a time limit.

use std::{
    fs::File,
    mem::MaybeUninit,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::inotify::{self, CreateFlags, WatchFlags},
};

/// Pause before another check where the kernel reports no release, for example on a network file system.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Pause where nothing can be watched.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until a descriptor is readable or closed at the other end, or the time has passed.
pub(crate) fn readable(fd: &impl AsFd, limit: Duration) {
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    let limit = Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() };
    // An interrupted wait is a short one: the caller checks again.
    let _ = poll(&mut fds, Some(&limit));
}

/// Watch that reports when a descriptor of a file was closed, which is how a lock is released.
#[derive(Debug)]
pub(crate) struct Release {
    watch: Option<OwnedFd>,
}

impl Release {
    /// Watches a file. Order matters: a release after this call is reported, even before [`Release::wait`].
    pub(crate) fn of(file: &File) -> Self {
        let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).and_then(|watch| {
            // By the descriptor: the name may lead to another file by now.
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            inotify::add_watch(&watch, path, WatchFlags::CLOSE_WRITE | WatchFlags::CLOSE_NOWRITE).map(|_| watch)
        });
        Self { watch: watch.ok() }
    }

    /// Waits for a release, for a limited time: the caller checks again in any case.
    pub(crate) fn wait(&self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let Some(watch) = &self.watch else { return thread::sleep(left.min(PAUSE)) };
        readable(watch, left.min(LOOK_AGAIN));
        let mut events = [MaybeUninit::uninit(); 1024];
        let mut reader = inotify::Reader::new(watch, &mut events);
        while reader.next().is_ok() {}
    }
}
