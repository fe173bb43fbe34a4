//! Launcher: the program that a new pane runs first.
//!
//! tmux gives a new pane the environment of its server's start, mangles long commands, and leaves arguments readable
//! for every user who may list processes. So a pane runs `the-loop launch SPEC`: it reads the spec (a private file),
//! removes it, sets directory and environment, and execs the harness, which keeps the pid of the pane.
//!
//! Secrets are read here: the spec contains only their sources.
//!
//! The spec is also the permission to run. A verb that gives up a start revokes the spec first. If tmux creates the
//! pane later, after a timeout, the launcher finds no spec and runs nothing.

mod secret;

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use files::{
    open::Links,
    read,
    write::{self, Durability},
};
use serde::{Deserialize, Serialize};
use wire::SessionName;

use process::marks::LOOP_ID_VAR;

pub use process::marks::scrubbed;
pub(crate) use process::marks::{ROOT_VAR, SESSION_VAR};

pub(crate) use self::secret::LIMIT as SECRETS_LIMIT;
pub use self::secret::read as read_secret;
use crate::{
    Error, Surroundings,
    error::storage,
    variables::{Env, Secrets},
};

/// Size limit of a spec, in bytes: a command and an environment, which Linux limits to a quarter of the stack.
const MAX_SPEC: usize = 64 * 1024 * 1024;

/// Launch specification: command, directory and environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LaunchSpec {
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: String,
    /// As bytes: a variable need not be UTF-8.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Variables that the definition sets, which override those of the terminal.
    #[serde(default)]
    pub(crate) set: Vec<(OsString, OsString)>,
    /// Sources of secret values. The values are read in the pane.
    #[serde(default)]
    pub(crate) secrets: Secrets,
}

impl LaunchSpec {
    pub(crate) fn new(
        argv: Vec<String>,
        cwd: &Path,
        name: &SessionName,
        loop_id: &str,
        surroundings: &Surroundings,
        secrets: &[&str],
    ) -> Self {
        let mut env = scrubbed(surroundings, secrets);
        env.retain(|(key, _)| key != "PWD" && key != "OLDPWD");
        let cwd = cwd.to_string_lossy().into_owned();
        let own = [("PWD", cwd.as_str()), (LOOP_ID_VAR, loop_id), (SESSION_VAR, name.as_str())];
        env.extend(own.map(|(key, value)| (key.into(), value.into())));
        Self { argv, cwd, env, set: Vec::new(), secrets: Secrets::new() }
    }

    /// Adds the variables of a definition. The values for `env` come from `environment`.
    pub(crate) fn define(&mut self, env: &Env, environment: &Surroundings, secrets: Secrets) {
        let set = env.keys().filter_map(|key| Some((key.into(), environment.raw(key)?.to_owned())));
        self.set = set.collect();
        self.secrets = secrets;
    }

    /// Marks the started processes as belonging to a state folder.
    pub(crate) fn mark(&mut self, root: &str) {
        self.env.push((ROOT_VAR.into(), root.into()));
    }

    /// Adds variables, except those that the operator has set.
    pub(crate) fn add_missing(&mut self, vars: &[(&str, &str)]) {
        for (key, value) in vars {
            if !self.env.iter().any(|(known, _)| known == key) {
                self.env.push((key.into(), value.into()));
            }
        }
    }

    /// Writes the spec to a private file.
    pub(crate) fn write(&self, dir: &Path, loop_id: &str) -> Result<PathBuf, Error> {
        let path = dir.join(format!("{loop_id}.json"));
        let text = serde_json::to_string(self).unwrap_or_default();
        write::create(&path, text.as_bytes(), Durability::Crash)
            .map_err(storage(&path, "could not write the launch file"))?;
        Ok(path)
    }
}

/// Revokes a spec. True if it had not been read, so that it can start nothing any more. If tmux creates the pane
/// later, the launcher finds the revocation and closes the pane.
pub(crate) fn revoke(spec: &Path) -> bool {
    write::rename(spec, &revoked(spec)).is_ok()
}

/// Removes a spec that no pane will read, and the files of its launch.
pub(crate) fn discard(spec: &Path) {
    for path in [spec.to_owned(), spec.with_extension(READING), spec.with_extension(FAILED)] {
        let _ = fs::remove_file(path);
    }
}

/// True while a launch has not started its harness yet, because it waits for its pane or for its secrets.
pub(crate) fn is_under_way(spec: &Path) -> bool {
    // Order matters: the second file is created before the first is removed.
    spec.exists() || spec.with_extension(READING).exists()
}

/// Returns why a launch ended without starting its harness, if a secret was the reason.
pub(crate) fn failure(spec: &Path) -> Option<String> {
    fs::read_to_string(spec.with_extension(FAILED)).ok()
}

fn revoked(spec: &Path) -> PathBuf {
    spec.with_extension(REVOKED)
}

/// Removes abandoned files: specs and revocations of starts that were interrupted long ago.
pub(crate) fn tidy(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let ours = path.file_stem().and_then(OsStr::to_str).is_some_and(|stem| uuid::Uuid::try_parse(stem).is_ok());
        let old =
            entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT));
        if ours && old {
            let _ = fs::remove_file(path);
        }
    }
}

/// Extension of the file that exists while the secrets are read.
const READING: &str = "reading";

/// Extension of the file that exists if a secret could not be read.
const FAILED: &str = "failed";

/// Extension of a revoked spec.
const REVOKED: &str = "revoked";

/// Time that a spec or revocation is kept for its pane. If tmux was stopped for longer, the pane shows an error.
const KEPT: Duration = Duration::from_hours(24);

/// Runs the hidden `launch` subcommand. Returns only if there is nothing to run.
pub fn main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(path) = args.next().map(PathBuf::from) else {
        return fail(125, "`launch` is run by the-loop in its panes: it needs a spec file");
    };
    let spec = match take(&path) {
        Ok(spec) => spec,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::remove_file(revoked(&path)).is_ok() {
                // The pane is not tracked by any record, so it must close.
                tmux::close_this_pane();
            }
            return fail(125, "this pane's launch was already used or cancelled: nothing was run");
        }
        Err(error) => return fail(125, &format!("{}: {error}", path.display())),
    };
    let Some((program, rest)) = spec.argv.split_first() else { return fail(125, "the spec has no program") };
    if let Err(error) = env::set_current_dir(&spec.cwd) {
        return fail(126, &format!("{}: {error}", spec.cwd));
    }
    let mut vars: BTreeMap<_, _> = spec.env.into_iter().filter(|(key, _)| !is_terminal_var(key)).collect();
    // tmux knows the terminal best, unless the definition sets its variables.
    vars.extend(env::vars_os().filter(|(key, _)| is_terminal_var(key)));
    vars.extend(spec.set);
    match secret::resolve(&spec.secrets, &vars) {
        Ok(secrets) => vars.extend(secrets),
        Err(reason) => {
            let _ = fs::write(path.with_extension(FAILED), &reason);
            return fail(125, &reason);
        }
    }
    if !spec.secrets.is_empty() {
        let _ = fs::remove_file(path.with_extension(READING));
    }
    let error = Command::new(program).args(rest).env_clear().envs(vars).exec();
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    fail(code, &format!("{program}: {error}"))
}

fn is_terminal_var(key: &OsStr) -> bool {
    ["TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM"].iter().any(|var| key == *var)
}

/// Reads a spec and removes it. Order matters: it is removed before it is used, so that it is used at most once.
fn take(path: &Path) -> io::Result<LaunchSpec> {
    let text = read::text(path, Links::Refuse, MAX_SPEC)?;
    let spec: LaunchSpec = serde_json::from_str(&text).map_err(io::Error::other)?;
    if !spec.secrets.is_empty() {
        fs::write(path.with_extension(READING), "")?;
    }
    fs::remove_file(path)?;
    Ok(spec)
}

fn fail(code: u8, what: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "the-loop: {what}");
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_private_used_once_and_can_be_taken_back() {
        let dir = tempfile::tempdir().expect("made");
        let name = SessionName::parse("ops").expect("valid");
        let spec =
            LaunchSpec::new(vec!["true".to_owned()], dir.path(), &name, "id-1", &Surroundings::of_process(), &[]);
        let path = spec.write(dir.path(), "id-1").expect("written");
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).expect("there").permissions());
        assert_eq!(mode & 0o777, 0o600);
        assert!(spec.write(dir.path(), "id-1").is_err(), "never over another");
        assert_eq!(take(&path).expect("read"), spec);
        assert_eq!(take(&path).expect_err("used up").kind(), io::ErrorKind::NotFound);
        assert!(!revoke(&path), "too late to take back");
        let path = spec.write(dir.path(), "id-2").expect("written");
        assert!(revoke(&path));
    }
}
