//! Harnesses: the programs that host a conversation, behind one trait.
//!
//! An adapter knows how its program is started and resumed, where it writes its transcript, what must be trusted
//! beforehand, and how its screen is read. It starts nothing and types nothing.

mod claude;
mod custom;
mod demo;
mod find;
mod trust;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) use find::find_program;
use wire::Activity;

use crate::{
    Surroundings,
    config::{HarnessTrust, Routing},
};

/// What an adapter needs to know of where its program is to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) surroundings: &'a Surroundings,
    /// The absolute working directory.
    pub(crate) cwd: &'a Path,
}

/// A screen as it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen<'a> {
    /// The visible lines, plain.
    pub(crate) text: &'a str,
    /// The title the program set.
    pub(crate) title: &'a str,
}

/// What a screen says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) activity: Activity,
    /// The question, if it waits for an answer.
    pub(crate) question: String,
}

/// A fresh conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh<'a> {
    /// The id made for it; empty if the harness makes its own.
    pub(crate) id: &'a str,
    pub(crate) args: &'a [String],
    /// The boot prompt; it never begins with `-`.
    pub(crate) prompt: &'a str,
}

/// One kind of harness.
pub(crate) trait Harness {
    /// The program, as it is looked for on PATH, or an absolute path.
    fn program(&self) -> &str;

    /// Whether conversation ids are made by us before the spawn.
    fn mints_ids(&self) -> bool {
        true
    }

    /// The arguments, after the program, of a fresh conversation.
    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String>;

    /// The arguments, after the program, that resume a conversation; `None` if it cannot.
    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>>;

    /// Trusts the working directory beforehand, so that no dialog meets an unattended session.
    fn trust(&self, place: &Place<'_>, args: &[String], settings: HarnessTrust) -> Result<(), String> {
        let _ = (place, args, settings);
        Ok(())
    }

    /// The file that a conversation's turns are written to, if it is known.
    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        let _ = (place, id);
        None
    }

    /// How long after a paste Enter is taken as Enter.
    fn enter_gap(&self) -> Duration {
        Duration::from_millis(200)
    }

    /// What the screen says.
    fn read(&self, screen: Screen<'_>) -> Reading {
        let _ = screen;
        Reading::default()
    }

    /// Whether the screen still shows unsent text in the input box; `None` if that cannot be read.
    fn holds_input(&self, screen: Screen<'_>) -> Option<bool> {
        let _ = screen;
        None
    }
}

/// The names of the built-in harnesses, the one for newcomers last.
pub(crate) const BUILT_IN: [&str; 2] = ["claude", "demo"];

/// The adapter of a harness by its name; the error says which there are.
pub(crate) fn by_name(name: &str, routing: &Routing, surroundings: &Surroundings) -> Result<Box<dyn Harness>, String> {
    if let Some(custom) = routing.harnesses.get(name) {
        return Ok(Box::new(custom::Custom::new(custom)?));
    }
    match name {
        "claude" => Ok(Box::new(claude::Claude)),
        "demo" => Ok(Box::new(demo::Demo::new(surroundings.exe()))),
        _ => {
            let known: Vec<&str> = BUILT_IN.into_iter().chain(routing.harnesses.keys().map(String::as_str)).collect();
            Err(format!(
                "no harness is called `{name}`: there are {}, and those you define under `routing.harnesses`",
                known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ))
        }
    }
}
