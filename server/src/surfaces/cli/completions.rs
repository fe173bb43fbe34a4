//! `the-loop completions`: prints a shell completion script.

use clap_complete::{Shell, generate};

use super::Output;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop completions bash > ~/.local/share/bash-completion/completions/the-loop
  the-loop completions zsh > \"${fpath[1]}/_the-loop\"
  the-loop completions fish > ~/.config/fish/completions/the-loop.fish";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args, mut command: clap::Command, output: &mut Output) {
    let mut script = Vec::new();
    generate(args.shell, &mut command, "the-loop", &mut script);
    output.out(&String::from_utf8_lossy(&script));
}
