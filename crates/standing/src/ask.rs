//! A question to another program, answered on its standard output: bounded in time and in length.

use std::{
    io::Read,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How much of an answer is taken.
const LENGTH: u64 = 1024 * 1024;

/// Runs a command, and gives what it printed; an answer that came too late or with a failure is none. Where it runs and
/// with which environment is the caller's to say.
pub(crate) fn ask(command: &mut Command, limit: Duration) -> Result<String, String> {
    let shown = match command.get_args().next() {
        Some(first) => format!("{} {}", command.get_program().display(), first.display()),
        None => command.get_program().display().to_string(),
    };
    let failed = |what: &dyn std::fmt::Display| format!("{shown}: {what}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let stdout = child.stdout.take();
    // Read beside the wait: a full pipe would keep the program from ending.
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.map(|stdout| stdout.take(LENGTH).read_to_string(&mut text)).transpose().map(|_| text)
    });
    let deadline = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            other => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(match other {
                    Err(error) => failed(&error),
                    Ok(_) => failed(&format_args!("no answer within {} s", limit.as_secs())),
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
