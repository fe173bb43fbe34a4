//! Location of the config file.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use process::Surroundings;

/// Path of the config file in force. The file may be missing: then every default applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPath {
    file: PathBuf,
    project_dir: PathBuf,
    named: bool,
}

impl ConfigPath {
    /// Creates the path of a config file from an absolute path. Its project is the folder that holds its `.the-loop`,
    /// or its own folder.
    pub fn new(file: PathBuf) -> Self {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let project_dir = match folder.file_name() {
            Some(name) if name == ".the-loop" => folder.parent().unwrap_or(folder),
            _ => folder,
        };
        Self { project_dir: project_dir.to_owned(), file, named: false }
    }

    /// Marks the file as requested by name: then a missing file is a mistake, and does not mean the defaults.
    #[must_use]
    pub fn named(mut self) -> Self {
        self.named = true;
        self
    }

    /// True if the operator requested this very file.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the base folder of its relative paths.
    pub fn project_dir(&self) -> &Path {
        &self.project_dir
    }
}

/// Finds the config: `flag`, else `$THE_LOOP_CLI_CONFIG`, else `./.the-loop/cli-config.yaml`, else
/// `~/.the-loop/cli-config.yaml`; if none exists, the place in the current directory.
pub fn locate(flag: Option<&Path>, surroundings: &Surroundings) -> ConfigPath {
    let cwd = surroundings.cwd();
    let named = flag.or_else(|| surroundings.var("THE_LOOP_CLI_CONFIG").map(Path::new));
    if let Some(file) = named {
        return ConfigPath::new(resolved(file, surroundings)).named();
    }
    let here = cwd.join(".the-loop/cli-config.yaml");
    if is_there(&here) {
        return ConfigPath::new(here);
    }
    match surroundings.home().map(|home| home.join(".the-loop/cli-config.yaml")) {
        Some(file) if is_there(&file) => ConfigPath::new(file),
        _ => ConfigPath::new(here),
    }
}

/// True if a file exists. An inaccessible file counts as existing: skipping it would silently put another config in
/// force.
fn is_there(file: &Path) -> bool {
    match file.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// Returns the absolute path. Only text can begin with `~`; a path that is not text stays as it is.
fn resolved(file: &Path, surroundings: &Surroundings) -> PathBuf {
    match file.to_str() {
        Some(text) => surroundings.resolve(text, surroundings.cwd()),
        None => surroundings.cwd().join(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_belong_to_the_project() {
        let inside = ConfigPath::new("/p/.the-loop/cli-config.yaml".into());
        assert_eq!(inside.project_dir(), Path::new("/p"));
        let beside = ConfigPath::new("/p/ops.yaml".into());
        assert_eq!(beside.project_dir(), Path::new("/p"));
    }
}
