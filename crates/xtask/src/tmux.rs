//! Finds or installs tmux, which all sessions need.

use std::process::Command;

use anyhow::{Context, Result};

use crate::apt;
use crate::step::say;

/// Finds tmux, or installs it where that is possible.
pub(crate) fn find_or_install() -> Result<()> {
    if let Some(version) = version() {
        say(format_args!("tmux: {version}"));
        return Ok(());
    }
    apt::install("tmux", &["tmux"])
        .context("no tmux on PATH (`brew install tmux`, `dnf install tmux`, `pacman -S tmux`)")
}

fn version() -> Option<String> {
    let output = Command::new("tmux").arg("-V").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
