//! Program that gets a notification as JSON on its standard input. It has a time limit, and its output is discarded.

use std::{io, path::PathBuf, process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::AsyncWriteExt as _,
    process::{self, Child},
    time,
};

use super::{failure::Failure, note::Note, secret::Environment};

/// Program and its arguments.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) argv: Vec<String>,
    pub(super) dir: PathBuf,
    pub(super) limit: Duration,
    pub(super) environment: Environment,
}

impl Command {
    pub(super) async fn send(&self, note: &Note) -> Result<(), Failure> {
        let body = serde_json::to_string(note).map_err(|error| Failure::new(error.to_string()))?;
        let mut running = self.spawn().map_err(|error| Failure::new(format!("could not start it: {error}")))?;
        let failed = |text: String| Failure { unsure: true, ..Failure::new(text) };
        let status = time::timeout(self.limit, async {
            if let Some(mut input) = running.0.stdin.take() {
                // A program that reads nothing is not a failure.
                let _ = input.write_all(body.as_bytes()).await;
            }
            running.0.wait().await
        });
        match status.await {
            Err(_) => Err(failed(format!("it did not exit within {} s", self.limit.as_secs_f64()))),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(failed(format!("it failed ({status})"))),
        }
    }

    fn spawn(&self) -> io::Result<Running> {
        let (program, args) = self.argv.split_first().ok_or_else(|| io::Error::other("no program"))?;
        let mut command = process::Command::new(program);
        command.args(args).current_dir(&self.dir).env_clear().envs(&self.environment);
        // A process group of its own, so that its children end with it.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).kill_on_drop(true);
        command.spawn().map(Running)
    }
}

/// Running program. Its process group ends when this is dropped before the program has ended.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The id is known only while the program has not been waited for.
        if let Some(pid) = self.0.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}
