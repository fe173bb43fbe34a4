//! Ends of harnesses: the kernel reports the end of a process at once, and tmux up to a second later.
//!
//! This is only a signal for a look. What an end means is decided by the look.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use rustix::process::{Pid, PidfdFlags, Resource, getrlimit, pidfd_open};
use tokio::{task::JoinHandle, time};
use wire::Row;

use super::{Shared, registered};

/// Moments after an end at which a look is requested: tmux needs a moment to record that the pane is dead.
const LOOKS: [Duration; 3] = [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(300)];

/// Processes that are followed, each with the task that waits for its end.
#[derive(Debug, Default)]
pub(super) struct Ends(HashMap<u32, JoinHandle<()>>);

impl Ends {
    /// Follows the processes of these rows, and no others. Connections need most descriptors, so at most a quarter is used:
    /// ends of further processes are seen when tmux reports them.
    pub(super) fn follow(&mut self, shared: &Arc<Shared>, rows: &[Row]) {
        let running: HashSet<u32> = rows.iter().filter(|row| row.running).filter_map(|row| row.pid).collect();
        self.0.retain(|pid, waiting| {
            let keep = running.contains(pid);
            if !keep {
                waiting.abort();
            }
            keep
        });
        let most = usize::try_from(getrlimit(Resource::Nofile).current.unwrap_or(1024) / 4).unwrap_or(256);
        for pid in running {
            if self.0.len() >= most {
                break;
            }
            self.0.entry(pid).or_insert_with(|| tokio::spawn(ended(Arc::clone(shared), pid)));
        }
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.values().for_each(JoinHandle::abort);
    }
}

async fn ended(shared: Arc<Shared>, pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    let Some(process) = pidfd_open(pid, PidfdFlags::NONBLOCK).ok().and_then(|fd| registered(fd).ok()) else { return };
    if process.readable().await.is_err() {
        return;
    }
    for after in LOOKS {
        time::sleep(after).await;
        shared.changed.notify_one();
    }
}
