//! Checks of `doctor`: hazards of this machine for the sessions, each with its remedy.
//!
//! One check per file. A check only reads: it starts nothing and changes nothing, not even a problem it could fix. A
//! condition that the-loop can live with is a notice, not a hazard. Surfaces examine their own parts (a port, a unit)
//! themselves.

mod clock;
mod config;
mod cross_session;
mod disk;
mod environment;
mod harness;
mod locale;
mod options;
mod other_program;
mod path;
mod permissions;
mod records;
mod sessions;
mod socket;
mod tmux;
mod transcript;
mod trust;
mod unit;
mod version;

use std::collections::BTreeMap;

use ::tmux::{About, Panes, Silence};
use wire::{Check, Finding, SessionName};

use crate::{
    config::Settings,
    definition::Definition,
    lifecycle::{Context, list::every_name},
    registry::{Entry, Record, Server},
};

/// Facts that all checks share, gathered once.
struct CheckContext<'a> {
    context: &'a Context,
    /// Version of the tmux program.
    program: Result<String, Silence>,
    /// The running tmux server; `None` without one.
    server: Result<Option<About>, Silence>,
    panes: Result<Panes, Silence>,
    entries: BTreeMap<SessionName, Entry>,
}

/// All checks, in the order of the report.
const CHECKS: [fn(&CheckContext<'_>) -> Vec<Finding>; 19] = [
    config::check,
    tmux::check,
    options::check,
    version::check,
    socket::check,
    locale::check,
    environment::check,
    path::check,
    other_program::check,
    harness::check,
    cross_session::check,
    trust::check,
    sessions::check,
    transcript::check,
    records::check,
    permissions::check,
    disk::check,
    clock::check,
    unit::check,
];

/// Runs every check and returns the findings, hazards first.
pub(crate) fn examine(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let entries = every_name(context).unwrap_or_else(|error| {
        let remedy = "make that directory readable for you";
        findings.push(Finding::hazard(Check::Record, "the records", error.to_string(), remedy));
        BTreeMap::new()
    });
    let program = context.tmux.program_version().into_result();
    // If the program cannot run, no server can answer either.
    let (server, panes) = match &program {
        Ok(_) => (context.tmux.about_server().into_result(), context.look()),
        Err(silence) => (Err(silence.clone()), Err(silence.clone())),
    };
    let mut entries = entries;
    if let Ok(panes) = &panes {
        context.add_unrecorded(&mut entries, panes);
    }
    let patient = CheckContext { context, program, server, panes, entries };
    findings.extend(CHECKS.iter().flat_map(|check| check(&patient)));
    findings.sort_by_key(|finding| finding.severity);
    findings
}

impl CheckContext<'_> {
    fn settings(&self) -> &Settings {
        self.context.settings()
    }

    /// Iterates over every known session's definition.
    fn definitions(&self) -> impl Iterator<Item = Definition> {
        self.sessions().map(|(definition, _)| definition)
    }

    /// Iterates over every known session's definition and record.
    fn sessions(&self) -> impl Iterator<Item = (Definition, Option<&Record>)> {
        let definitions = self.context.definitions();
        let known = move |name, record| Some((definitions.known(name, record)?, record));
        self.entries.iter().filter_map(move |(name, entry)| known(name, entry.record()))
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.entries.values().filter_map(Entry::record)
    }

    /// Lists the living tmux servers that a session was spawned on, each once.
    fn recorded_servers(&self) -> Vec<&Server> {
        let mut servers: Vec<&Server> = Vec::new();
        for server in self.records().filter_map(|record| record.server.as_ref()) {
            if server.process.is_alive() && !servers.contains(&server) {
                servers.push(server);
            }
        }
        servers
    }

    /// Returns the command that calls the configured tmux on a command line.
    fn tmux(&self) -> String {
        match self.settings().routing.tmux.socket.as_str() {
            "" => "tmux".to_owned(),
            socket => format!("tmux -L {socket}"),
        }
    }
}
