//! The definition seam: one function turns a name into a definition, from the config or from the record.
//!
//! Every verb goes through it, so that where a definition came from never changes what a verb does.

use std::path::{Path, PathBuf};

use wire::SessionName;

use crate::{
    Error, Surroundings,
    brief::Brief,
    config::{Declaration, Settings},
    registry::{Origin, Record},
    variables::{Env, Secrets},
};

/// What a session is, whoever said so.
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
    /// Variables that it sets; `None` for one that is not to be set.
    pub(crate) env: Env,
    pub(crate) secrets: Secrets,
}

/// Where definitions come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definitions<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) project_dir: &'a Path,
    pub(crate) surroundings: &'a Surroundings,
}

impl Definitions<'_> {
    /// The definition of a name: its declaration if there is one, else its record.
    pub(crate) fn resolve(&self, name: &SessionName, record: Option<&Record>) -> Result<Definition, Error> {
        self.known(name, record).ok_or_else(|| Error::Unknown { name: name.clone() })
    }

    /// The same for a listing, where there may be none.
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
            // Whoever took a session out of the config did not ask for it to go on by itself.
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

    /// A working directory as written, or the inherited one if nothing was.
    pub(crate) fn directory(&self, written: &str) -> PathBuf {
        let written = if written.is_empty() { &self.settings.routing.spawn_workdir } else { written };
        tidy(&self.surroundings.resolve(written, self.project_dir))
    }

    fn channel(&self, written: &str) -> String {
        if written.is_empty() { self.settings.slack.channel.clone() } else { written.to_owned() }
    }
}

/// Without `.` components, which a path joined from the default `.` would end with.
fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

/// A working directory that can be started in.
pub(crate) fn check_directory(cwd: &Path) -> Result<(), String> {
    match std::fs::metadata(cwd) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(format!("the working directory {} is not a directory", cwd.display())),
        Err(error) => Err(format!("could not use the working directory {}: {error}", cwd.display())),
    }
}
