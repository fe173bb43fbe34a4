//! Command line: parses the arguments, calls one verb of the core, prints the answer.
//!
//! It works in-process and needs no service. Only `standing` and `serve` build a runtime: `standing` runs its verbs
//! through the engine, or through a service, behind one trait.

mod ago;
mod channels;
mod completions;
mod config;
mod doctor;
mod events;
mod given;
mod lifecycle;
mod man;
mod needs;
mod notify;
mod open;
mod output;
mod overview;
mod plan;
mod report;
mod restart;
mod sanitize;
mod selftest;
mod serve;
mod service;
mod standing;
mod start;
mod status;
mod stop;
mod table;
#[cfg(test)]
mod texts;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use ::standing::{Caller, Surroundings, TheLoop};
use clap::{
    CommandFactory as _, Parser, Subcommand,
    builder::{OsStringValueParser, TypedValueParser as _},
};
use serde::Serialize;
use wire::Remedy;

use output::Output;

/// Named, long-lived tmux sessions that host AI coding agents.
#[derive(Debug, Parser)]
#[command(name = "the-loop", version = crate::VERSION_AND_COMMIT, after_help = EXAMPLES, disable_help_subcommand = true)]
struct Cli {
    /// Config file [default: `$THE_LOOP_CLI_CONFIG`, then `./.the-loop/cli-config.yaml`, then
    /// `~/.the-loop/cli-config.yaml`]
    #[arg(short, long, global = true, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(given::file))]
    config: Option<PathBuf>,
    /// Run `standing` commands through the service at this address, such as `http://127.0.0.1:4114` or `unix:PATH`
    #[arg(long, global = true, value_name = "ADDRESS", value_parser = given::filled)]
    service: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the service in the background and the auto-start sessions
    #[command(after_help = start::EXAMPLES)]
    Start(start::Args),
    /// Stop all sessions, then the service
    #[command(after_help = stop::EXAMPLES)]
    Stop(lifecycle::WhatAndHow),
    /// Restart the sessions and the service
    #[command(after_help = restart::EXAMPLES)]
    Restart(restart::Args),
    /// Show whether the service and all auto-start sessions are running
    #[command(after_help = status::EXAMPLES)]
    Status(status::Args),
    /// List the sessions that need you, the most urgent first
    #[command(after_help = needs::EXAMPLES)]
    Needs(needs::Args),
    /// Show what a start would do, without doing it
    #[command(after_help = plan::EXAMPLES)]
    Plan(plan::Args),
    /// Check this machine for problems that could affect sessions
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::Args),
    /// Run a self-test: create, message, stop and resume a session
    #[command(after_help = selftest::EXAMPLES)]
    Selftest(selftest::Args),
    /// Manage standing sessions: list, create, start, stop, message
    #[command(after_help = standing::EXAMPLES)]
    Standing {
        #[command(subcommand)]
        verb: Box<standing::Verb>,
    },
    /// Check the Slack connection
    #[command(after_help = channels::EXAMPLES)]
    Channels {
        #[command(subcommand)]
        verb: channels::Verb,
    },
    /// Check, show, edit or write the config
    #[command(after_help = config::EXAMPLES)]
    Config {
        #[command(subcommand)]
        verb: config::Verb,
    },
    /// Test the targets of notifications
    #[command(after_help = notify::EXAMPLES)]
    Notify {
        #[command(subcommand)]
        verb: notify::Verb,
    },
    /// Show the event log
    #[command(after_help = events::EXAMPLES)]
    Events(events::Args),
    /// Print the address of the Standing screen
    #[command(after_help = open::EXAMPLES)]
    Open,
    /// Run the service in the foreground
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::Args),
    /// Install or remove the systemd user service
    #[command(after_help = service::EXAMPLES)]
    Service {
        #[command(subcommand)]
        verb: service::Verb,
    },
    /// Print a shell completion script
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Args),
    /// Write the manual pages
    #[command(hide = true)]
    Man(man::Args),
}

impl Command {
    /// Returns the operator action of a command, if it has one besides the verbs of the core, which check their caller
    /// themselves.
    fn controls(&self) -> Option<&'static str> {
        match self {
            Self::Start(args) if args.starts_sessions() => Some("start sessions"),
            Self::Stop(_) => Some("stop sessions or the service"),
            Self::Restart(_) => Some("restart sessions or the service"),
            Self::Service { verb } => verb.changes(),
            _ => None,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  the-loop standing create ops --harness demo   create a session and start it
  the-loop standing say ops --text 'hello'      send it a message
  the-loop standing answer ops                  show its prompt and the answers to select from
  the-loop standing list                        list all sessions
  the-loop serve                                run the service, with the same in a browser

Without a command, it shows the state and the commands that help next.
Exit status: 0 success; 1 failed, not found or not delivered; 2 invalid arguments or config.";

/// Error of a command: its message, the remedies, and the exit status.
#[derive(Debug)]
struct Refusal {
    text: String,
    remedies: Vec<Remedy>,
    code: u8,
}

impl Refusal {
    /// Creates the error for a mistake of the caller: exit status 2.
    fn mistake(text: impl Into<String>) -> Self {
        Self { code: 2, ..Self::failure(text) }
    }

    /// Creates the error for any other failure: exit status 1.
    fn failure(text: impl Into<String>) -> Self {
        Self { text: text.into(), remedies: Vec::new(), code: 1 }
    }
}

impl<E: wire::Refusal> From<E> for Refusal {
    fn from(error: E) -> Self {
        let text = error.problem().map_or_else(|| error.to_string(), |problem| problem.message().to_owned());
        Self { text, remedies: error.remedies(), code: error.exit_code() }
    }
}

/// Runs the command line of a process, given its arguments with the program's own name first.
pub fn run(args: Vec<OsString>) -> ExitCode {
    // Commands for panes are dispatched before anything else is built, because every start runs them.
    match args.get(1).and_then(|word| word.to_str()) {
        Some("launch") => return ::standing::launcher::main(args.into_iter().skip(2)),
        Some("hook") => return ::standing::hook::main(args.into_iter().skip(2)),
        Some("demo") => return ::standing::demo::main(args.into_iter().skip(2)),
        _ => {}
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(told) => {
            // A help text that could not be written to a closed pipe is not an error.
            let _ = told.print();
            return ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2));
        }
    };
    // A service logs the problems.
    let serves = matches!(cli.command, Some(Command::Serve(_)));
    let mut output = Output::of_process();
    let done = dispatch(cli, &mut output);
    if !serves {
        for notice in ::standing::notices() {
            output.err(&format!("notice: {}\n", sanitize::line(&notice)));
        }
    }
    output.end(done)
}

fn dispatch(cli: Cli, output: &mut Output) -> Result<u8, Refusal> {
    let config = cli.config.as_deref();
    if cli.service.is_some() && !matches!(cli.command, Some(Command::Standing { .. })) {
        return Err(Refusal::mistake(
            "`--service` only works with `the-loop standing`: all other commands act on this machine",
        ));
    }
    here(config, cli.command.as_ref())?;
    let open = |source| TheLoop::open_in(config, Surroundings::of_process(), source);
    let Some(command) = cli.command else { return overview::run(&open("cli"), output) };
    if let Some(doing) = command.controls() {
        open("cli").standing().may_control(doing)?;
    }
    match command {
        Command::Start(args) => start::run(&open("cli"), args, output),
        Command::Stop(args) => stop::run(&open("cli"), &args, output),
        Command::Restart(args) => restart::run(&open("cli"), args, output),
        Command::Status(args) => status::run(&open("cli"), &args, output),
        Command::Standing { verb } => verb.run(&open("cli"), cli.service.as_deref(), output),
        Command::Needs(args) => needs::run(&open("cli"), &args, output),
        Command::Plan(args) => plan::run(&open("cli"), &args, output),
        Command::Doctor(args) => doctor::run(&open("cli"), &args, output),
        Command::Selftest(args) => selftest::run(&args, output),
        Command::Channels { verb } => verb.run(&open("cli"), output),
        Command::Config { verb } => verb.run(&open("cli"), output),
        Command::Notify { verb } => verb.run(&open("cli"), output),
        Command::Events(args) => events::run(&open("cli"), &args, output),
        Command::Open => open::run(&open("cli"), output),
        // Each request identifies its own caller. The caller that started the service does not matter.
        Command::Serve(args) => serve::run(open("service").with_caller(Caller::Unidentified), args, output),
        Command::Service { verb } => verb.run(&open("cli"), output),
        Command::Completions(args) => {
            completions::run(&args, Cli::command(), output);
            Ok(0)
        }
        Command::Man(args) => man::run(&args, Cli::command(), output),
    }
}

/// Refuses to guess the project: without a current folder, only a config with an absolute path identifies it.
fn here(config: Option<&Path>, command: Option<&Command>) -> Result<(), Refusal> {
    let anywhere = matches!(command, Some(Command::Selftest(_) | Command::Completions(_) | Command::Man(_)));
    let Err(error) = env::current_dir() else { return Ok(()) };
    let named = config.map(Path::to_owned).or_else(|| env::var_os("THE_LOOP_CLI_CONFIG").map(PathBuf::from));
    if anywhere || named.is_some_and(|file| file.is_absolute()) {
        return Ok(());
    }
    Err(Refusal::mistake(format!(
        "the current directory no longer exists ({error}): `cd` to the project, or give the absolute path of the \
         config with `--config`"
    )))
}

/// Serialises the value as one JSON document that is harmless to a terminal.
fn document(value: &impl Serialize) -> Result<String, Refusal> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(format!("{}\n", sanitize::json(&text))),
        Err(error) => Err(Refusal::failure(format!("could not write JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        Cli::command().debug_assert();
    }
}
