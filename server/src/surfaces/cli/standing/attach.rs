//! `standing attach`: opens the terminal of a session in this terminal.

use std::{
    io::{self, IsTerminal as _},
    os::unix::process::CommandExt as _,
    process::Command,
};

use standing::TheLoop;

use super::{Refusal, given};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing attach ops
  the-loop standing attach ops --read-only

Detach with the keys of tmux, usually Ctrl-B D. The session keeps running.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Show it without typing into it
    #[arg(long)]
    read_only: bool,
}

/// Replaces this process by the terminal of the session.
pub(super) fn run(the_loop: &TheLoop, args: &Args) -> Result<u8, Refusal> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Refusal::mistake("`attach` needs a terminal: use `the-loop standing screen` in a script"));
    }
    let attach = the_loop.standing().terminal(&args.name, !args.read_only)?;
    let term = the_loop.surroundings().var("TERM").map(|term| ("TERM".into(), term.to_owned()));
    let mut command = Command::new(&attach.program);
    command
        .args(&attach.args)
        .env_clear()
        .envs(attach.env)
        .envs(term.into_iter().collect::<Vec<(std::ffi::OsString, _)>>());
    let error = command.exec();
    Err(Refusal::failure(format!("could not run `{}`: {error}", attach.program.display())))
}
