//! Programs of the harnesses: the lookup on PATH, like `execvp`, so that a missing program is reported before any spawn,
//! and a query to the program, run in the place and with the environment that the harness itself gets.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use process::{Surroundings, marks::scrubbed};

use super::Place;

/// Timeout of a query.
const LIMIT: Duration = Duration::from_secs(20);

/// Returns the absolute path of a program; the error says why there is none.
pub fn find_program(program: &str, cwd: &Path, surroundings: &Surroundings) -> Result<PathBuf, String> {
    if program.contains('/') {
        let path = surroundings.resolve(program, cwd);
        return executable(&path).map(|()| path);
    }
    let path = surroundings.var("PATH").unwrap_or_default();
    let mut seen_unusable = None;
    for dir in std::env::split_paths(path).filter(|dir| dir.is_absolute()) {
        let candidate = dir.join(program);
        match executable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(reason) if candidate.exists() => seen_unusable = Some(reason),
            Err(_) => {}
        }
    }
    Err(seen_unusable.unwrap_or_else(|| {
        format!("the program `{program}` was not found on PATH: install it, or use another harness")
    }))
}

fn executable(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Err(error) => Err(format!("{}: {error}", path.display())),
        Ok(meta) if !meta.is_file() => Err(format!("{}: not a file", path.display())),
        Ok(meta) if meta.permissions().mode() & 0o111 == 0 => {
            Err(format!("{}: not executable: run `chmod +x` on it", path.display()))
        }
        Ok(_) => Ok(()),
    }
}

/// Runs the program with these arguments in the place, and returns its output.
pub(super) fn ask(place: &Place<'_>, program: &str, args: &[&str]) -> Result<String, String> {
    let program = find_program(program, place.cwd, &place.environment)?;
    let mut command = Command::new(&program);
    command.args(args).current_dir(place.cwd).env_clear().envs(scrubbed(&place.environment, &place.secrets));
    process::subprocess::ask(&mut command, LIMIT)
}
