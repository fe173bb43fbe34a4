//! Where the config file is.

use std::path::{Path, PathBuf};

use crate::Surroundings;

/// The config file in force. It need not exist: a missing file means every default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPath {
    file: PathBuf,
    project_dir: PathBuf,
}

impl ConfigPath {
    /// A config file by its absolute path. Its project is the folder that holds its `.the-loop`, or its own folder.
    pub fn new(file: PathBuf) -> Self {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let project_dir = match folder.file_name() {
            Some(name) if name == ".the-loop" => folder.parent().unwrap_or(folder),
            _ => folder,
        };
        Self { project_dir: project_dir.to_owned(), file }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What relative paths in it are relative to.
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
        return ConfigPath::new(cwd.join(surroundings.resolve(&file.to_string_lossy(), cwd)));
    }
    let here = cwd.join(".the-loop/cli-config.yaml");
    if here.exists() {
        return ConfigPath::new(here);
    }
    match surroundings.home().map(|home| home.join(".the-loop/cli-config.yaml")) {
        Some(file) if file.exists() => ConfigPath::new(file),
        _ => ConfigPath::new(here),
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
