//! A question to a harness's own program, answered on its standard output. Bounded in time and length, with the
//! environment that the harness itself is given.

use std::{
    io::Read,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{Place, find_program};
use crate::launcher::scrubbed;

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(20);

/// How much of an answer is taken.
const LENGTH: u64 = 1024 * 1024;

/// Runs the program with these arguments in the place, and gives what it printed.
pub(super) fn ask(place: &Place<'_>, program: &str, args: &[&str]) -> Result<String, String> {
    let program = find_program(program, place.cwd, place.surroundings)?;
    let mut command = Command::new(&program);
    command.args(args).current_dir(place.cwd).env_clear().envs(scrubbed(place.surroundings, &place.secrets));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let failed = |what: &dyn std::fmt::Display| format!("{} {}: {what}", program.display(), args[0]);
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let stdout = child.stdout.take();
    // Read beside the wait: a full pipe would keep the program from ending.
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.map(|stdout| stdout.take(LENGTH).read_to_string(&mut text)).transpose().map(|_| text)
    });
    let deadline = Instant::now() + LIMIT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            other => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(match other {
                    Err(error) => failed(&error),
                    Ok(_) => failed(&format_args!("no answer within {} s", LIMIT.as_secs())),
                });
            }
        }
    };
    if !status.success() {
        return Err(failed(&status));
    }
    match reader.join() {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(error)) => Err(failed(&error)),
        Err(_) => Err(failed(&"its answer could not be read")),
    }
}
