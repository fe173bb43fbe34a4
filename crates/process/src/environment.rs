//! Environment of one instance of the program: variables, current directory, own executable.
//!
//! It is read once and passed down, so that deeper code neither reads nor changes process-wide state, and a test can
//! give each instance its own HOME.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// Environment of one instance of the-loop.
#[derive(Clone, Debug)]
pub struct Surroundings {
    vars: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
    exe: PathBuf,
}

impl Surroundings {
    /// Reads the environment of this process.
    pub fn of_process() -> Self {
        Self {
            vars: env::vars_os().collect(),
            cwd: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            exe: without_deleted_mark(env::current_exe().unwrap_or_default()),
        }
    }

    /// Returns the environment of this process without any variables.
    pub fn empty() -> Self {
        Self { vars: BTreeMap::new(), ..Self::of_process() }
    }

    /// Replaces the current directory.
    #[must_use]
    pub fn in_dir(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Replaces the launcher: a program that has the hidden `launch` and `demo` subcommands.
    #[must_use]
    pub fn with_exe(mut self, exe: impl Into<PathBuf>) -> Self {
        self.exe = exe.into();
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn with_var(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.vars.insert(key.into(), value.into());
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without_var(mut self, key: impl AsRef<OsStr>) -> Self {
        self.vars.remove(key.as_ref());
        self
    }

    /// Replaces the variables by those of a process, in the format of `/proc/<pid>/environ`.
    #[must_use]
    pub fn with_environ(mut self, environ: &[u8]) -> Self {
        let pair = |entry: &[u8]| {
            let at = entry.iter().position(|&byte| byte == b'=')?;
            Some((OsString::from_vec(entry[..at].to_vec()), OsString::from_vec(entry[at + 1..].to_vec())))
        };
        self.vars = environ.split(|&byte| byte == 0).filter_map(pair).collect();
        self
    }

    /// Returns a variable; an empty one counts as unset.
    pub fn var(&self, key: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(key)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Returns a variable as it is, including an empty one.
    pub fn raw(&self, key: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(key)).map(OsString::as_os_str)
    }

    /// True if a variable is set, even to an empty value.
    pub fn has(&self, key: &str) -> bool {
        self.vars.contains_key(OsStr::new(key))
    }

    /// Iterates over all variables.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str()))
    }

    /// Returns the directory that relative paths of the command line are relative to.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the program that new panes run first.
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Returns the home directory, if one is set.
    pub fn home(&self) -> Option<&Path> {
        self.var("HOME").map(Path::new)
    }

    /// Expands `~` and `~/…`, and makes a relative path absolute below `base`.
    pub fn resolve(&self, path: &str, base: &Path) -> PathBuf {
        let expanded = match (path.strip_prefix('~'), self.home()) {
            (Some(""), Some(home)) => home.to_owned(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(path),
        };
        base.join(expanded)
    }
}

/// Removes the kernel's mark from the path of a deleted executable. An upgrade replaces the file of a running program,
/// and the new file is the one to run.
fn without_deleted_mark(exe: PathBuf) -> PathBuf {
    match exe.to_str().and_then(|path| path.strip_suffix(" (deleted)")) {
        Some(path) if Path::new(path).exists() => PathBuf::from(path),
        _ => exe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilde_and_relative_paths() {
        let here = Surroundings::of_process().with_var("HOME", "/home/u");
        let base = Path::new("/project");
        assert_eq!(here.resolve("~", base), Path::new("/home/u"));
        assert_eq!(here.resolve("~/x", base), Path::new("/home/u/x"));
        assert_eq!(here.resolve("~other/x", base), Path::new("/project/~other/x"));
        assert_eq!(here.resolve("a/b", base), Path::new("/project/a/b"));
        assert_eq!(here.resolve("/abs", base), Path::new("/abs"));
    }
}
