//! Definitions: one function resolves a name to a definition, from the config or from the record.
//!
//! Every verb uses it, so the source of a definition never changes what a verb does.

use std::path::{Path, PathBuf};

use wire::SessionName;

use crate::{
    Error, Surroundings,
    brief::Brief,
    config::{Declaration, Settings},
    registry::{Origin, Record},
    variables::{Env, Secrets},
};

/// Definition of a session, from either source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: SessionName,
    /// True if the config declares it now.
    pub(crate) declared: bool,
    pub(crate) description: String,
    pub(crate) harness: String,
    pub(crate) harness_args: Vec<String>,
    pub(crate) harness_args_inherited: bool,
    /// Absolute; not yet checked to exist.
    pub(crate) cwd: PathBuf,
    pub(crate) brief: Brief,
    pub(crate) auto_start: bool,
    pub(crate) slack_enabled: bool,
    pub(crate) slack_channel: String,
    /// Environment variables of the session; `None` unsets a variable.
    pub(crate) env: Env,
    pub(crate) secrets: Secrets,
}

/// Sources of definitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definitions<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) project_dir: &'a Path,
    pub(crate) surroundings: &'a Surroundings,
}

impl Definitions<'_> {
    /// Returns the definition of a name: its declaration if there is one, else its record.
    pub(crate) fn resolve(&self, name: &SessionName, record: Option<&Record>) -> Result<Definition, Error> {
        self.known(name, record).ok_or_else(|| Error::Unknown { name: name.clone() })
    }

    /// Returns the definition of a name, or `None` if it is neither declared nor recorded.
    pub(crate) fn known(&self, name: &SessionName, record: Option<&Record>) -> Option<Definition> {
        match self.declaration(name) {
            Some(declaration) => Some(self.declared(declaration)),
            None => record.map(|record| self.recorded(record)),
        }
    }

    pub(crate) fn declaration(&self, name: &SessionName) -> Option<&Declaration> {
        self.settings.sessions.iter().find(|declaration| declaration.name == *name)
    }

    fn declared(&self, declaration: &Declaration) -> Definition {
        let harness = declaration.harness.clone().unwrap_or_else(|| self.settings.routing.default_harness.clone());
        Definition {
            name: declaration.name.clone(),
            declared: true,
            description: declaration.description.clone(),
            harness_args: declaration.harness_args.clone().unwrap_or_else(|| self.inherited_args(&harness)),
            harness_args_inherited: declaration.harness_args.is_none(),
            harness,
            cwd: self.directory(declaration.cwd.as_deref().unwrap_or_default()),
            brief: match &declaration.prompt_file {
                Some(path) => Brief::File(path.clone()),
                None => Brief::Text(declaration.prompt.clone()),
            },
            auto_start: declaration.auto_start,
            slack_enabled: declaration.slack_enabled,
            slack_channel: self.channel(&declaration.slack_channel),
            env: declaration.env.clone(),
            secrets: declaration.secrets.clone(),
        }
    }

    fn recorded(&self, record: &Record) -> Definition {
        let harness = match record.harness.as_str() {
            "" => self.settings.routing.default_harness.clone(),
            harness => harness.to_owned(),
        };
        Definition {
            name: record.name.clone(),
            declared: false,
            description: record.description.clone(),
            harness_args: if record.harness_args_inherited {
                self.inherited_args(&harness)
            } else {
                record.harness_args.clone()
            },
            harness_args_inherited: record.harness_args_inherited,
            harness,
            cwd: self.directory(&record.cwd),
            brief: Brief::Text(record.prompt.clone()),
            // An operator who removed a session from the config did not ask for it to be started automatically.
            auto_start: record.auto_start && record.origin == Origin::Created,
            slack_enabled: record.slack_enabled,
            slack_channel: self.channel(&record.slack_channel),
            env: record.env.clone(),
            secrets: record.secrets.clone(),
        }
    }

    pub(crate) fn inherited_args(&self, harness: &str) -> Vec<String> {
        self.settings.routing.harness_args.get(harness).cloned().unwrap_or_default()
    }

    /// Returns a working directory as written, or the inherited one if it is empty.
    pub(crate) fn directory(&self, written: &str) -> PathBuf {
        let written = if written.is_empty() { &self.settings.routing.spawn_workdir } else { written };
        tidy(&self.surroundings.resolve(written, self.project_dir))
    }

    fn channel(&self, written: &str) -> String {
        if written.is_empty() { self.settings.slack.channel.clone() } else { written.to_owned() }
    }
}

/// Removes `.` components: a path joined from the default `.` ends with one.
fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Checks that a session can be started in a working directory.
pub(crate) fn check_directory(cwd: &Path) -> Result<(), String> {
    match std::fs::metadata(cwd) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(format!("the working directory {} is not a directory", cwd.display())),
        Err(error) => Err(format!("could not use the working directory {}: {error}", cwd.display())),
    }
}
