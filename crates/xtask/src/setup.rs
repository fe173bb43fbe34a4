//! Finds or installs everything that the other commands need.

use anyhow::Result;

use crate::notes::Notes;
use crate::project::Project;
use crate::wasm::target;
use crate::{chromium, tmux};

/// `cargo xtask setup`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Leaves out what only the browser tests need.
    #[arg(long)]
    no_browser: bool,
}

/// Tries all steps again, including those noted as failed.
pub(crate) fn setup(project: &Project, args: &Args) -> Result<()> {
    let mut notes = Notes::open(project);
    notes.clear()?;
    target::find_or_make(project, &mut notes)?;
    tmux::find_or_install()?;
    if !args.no_browser {
        chromium::find_or_install()?;
    }
    Ok(())
}
