//! `the-loop service`: the service as a user unit of systemd.

mod install;
mod print;
mod uninstall;

use standing::TheLoop;

use super::{Output, Refusal};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop service print              what `install` would write, on standard output
  the-loop service install            write the units and start them, now and after every login
  the-loop service install --socket   the same, and systemd holds the port: nobody is turned away
  the-loop service uninstall          stop the service, remove the units; sessions go on

One unit is the service, another starts the sessions that start by themselves, once. There are no
secrets in them, and whatever becomes of the service, they leave tmux and the sessions alone.";

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Write the units and start them
    Install(Args),
    /// Stop the service and remove the units
    Uninstall,
    /// Print the units
    Print(Args),
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Args {
    /// Have systemd hold the port, so that connections wait while the service restarts
    #[arg(long)]
    socket: bool,
}

impl Verb {
    /// What it changes of how the service is started and stopped.
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
    Refusal { text: text.into(), code: 1 }
}

/// Where systemd is missing altogether.
fn elsewhere(the_loop: &TheLoop) -> Refusal {
    let config = the_loop.config();
    let (exe, file) = (the_loop.surroundings().exe().display(), config.path.file().display());
    refusal(format!(
        "there is no systemd here (`systemctl` was not found), and nothing was changed: have `{exe} --config {file} start` \
         run by whatever starts programs at boot or login here, such as a line `@reboot …` in `crontab -e`; it puts the \
         service in the background and starts the sessions"
    ))
}
