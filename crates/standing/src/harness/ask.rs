//! Query to a harness's own program, run in the place and with the environment that the harness itself gets.

use std::{process::Command, time::Duration};

use process::marks::scrubbed;

use super::{Place, find_program};

/// Timeout of a query.
const LIMIT: Duration = Duration::from_secs(20);

/// Runs the program with these arguments in the place, and returns its output.
pub(super) fn ask(place: &Place<'_>, program: &str, args: &[&str]) -> Result<String, String> {
    let program = find_program(program, place.cwd, &place.environment)?;
    let mut command = Command::new(&program);
    command.args(args).current_dir(place.cwd).env_clear().envs(scrubbed(&place.environment, &place.secrets));
    process::subprocess::ask(&mut command, LIMIT)
}
