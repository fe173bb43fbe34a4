//! Golden file of every command's long help.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use super::Cli;

/// Width of a usual terminal.
const COLUMNS: usize = 100;

/// Adds the help of a command and of all its subcommands, hidden ones included.
fn add(command: &mut Command, path: &str, text: &mut String) {
    let _ = writeln!(text, "== {path}\n{}", command.render_long_help());
    for below in command.get_subcommands_mut() {
        let path = format!("{path} {}", below.get_name());
        add(below, &path, text);
    }
}

#[test]
fn texts_are_current() {
    let mut command = Cli::command().term_width(COLUMNS);
    command.build();
    let mut text = String::new();
    add(&mut command, "the-loop", &mut text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    testkit::assert_text("help.txt", &format!("{}\n", lines.join("\n")));
}
