//! `the-loop service`: the service as a systemd user unit.

mod install;
mod print;
mod uninstall;

use standing::TheLoop;

use super::{Output, Refusal};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop service print              print the units that `install` would write
  the-loop service install            install the units and start them, now and after every login
  the-loop service install --socket   the same, with socket activation
  the-loop service uninstall          stop the service and remove the units; sessions keep running

One unit runs the service, another starts the auto-start sessions once. The units contain no secrets,
and stopping them does not stop tmux or the sessions.";

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Install the units and start them
    Install(Args),
    /// Stop the service and remove the units
    Uninstall,
    /// Print the units
    Print(Args),
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Args {
    /// Let systemd hold the port, so that connections wait while the service restarts
    #[arg(long)]
    socket: bool,
}

impl Verb {
    /// Returns the command's effect on how the service is started and stopped, if it has one.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Install(_) => Some("install the service"),
            Self::Uninstall => Some("stop the service"),
            Self::Print(_) => None,
        }
    }

    pub(super) fn run(self, the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
        match self {
            Self::Install(args) => install::run(the_loop, args, output),
            Self::Uninstall => uninstall::run(the_loop, output),
            Self::Print(args) => print::run(the_loop, args, output),
        }
    }
}

fn refusal(text: impl Into<String>) -> Refusal {
    Refusal::failure(text.into())
}

/// Returns the error for a machine without systemd.
fn elsewhere(the_loop: &TheLoop) -> Refusal {
    let config = the_loop.config();
    let (exe, file) = (the_loop.surroundings().exe().display(), config.path.file().display());
    refusal(format!(
        "`systemctl` was not found, so nothing was changed: run `{exe} --config {file} start` at boot or login in \
         another way, such as an `@reboot` line in `crontab -e`; it starts the service in the background, and the \
         auto-start sessions"
    ))
}
