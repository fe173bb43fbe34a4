//! Secrets, resolved in the pane: a value exists only in the environment of the harness.
//!
//! Only the source of a value is stored: a command, whose output is the value, or a private file. Both are limited in
//! time and size. An error names the secret and never shows its content.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Read},
    os::{
        fd::AsFd,
        unix::{ffi::OsStringExt, fs::MetadataExt, process::CommandExt},
    },
    path::Path,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use files::{
    open::{self, Links},
    read,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{Pid, Signal, kill_process_group},
};
use wire::SecretSource;

/// Size limit of a value, in bytes. Linux allows 128 KiB for a variable, including its name.
const LENGTH: usize = 64 * 1024;

/// Time limit for all secrets of a session together.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// Interval for checking if a command has exited.
const INTERVAL: Duration = Duration::from_millis(10);

/// Returns the values of secrets, by name. Commands run with `env`; their first word is an absolute path.
pub(super) fn resolve(
    secrets: &BTreeMap<String, SecretSource>,
    env: &BTreeMap<OsString, OsString>,
) -> Result<Vec<(OsString, OsString)>, String> {
    let deadline = Instant::now() + LIMIT;
    let of = |(name, source): (&String, &SecretSource)| match content(source, env, deadline).and_then(value) {
        Ok(value) => Ok((name.into(), value)),
        Err(reason) => Err(format!("the secret `{name}` could not be read: {reason}")),
    };
    secrets.iter().map(of).collect()
}

/// Reads one secret for another part of the program, with a command in `env`. Blocks for up to 30 s. An error never
/// contains the value.
pub fn read(source: &SecretSource, env: &BTreeMap<OsString, OsString>) -> Result<OsString, String> {
    content(source, env, Instant::now() + LIMIT).and_then(value)
}

fn content(source: &SecretSource, env: &BTreeMap<OsString, OsString>, deadline: Instant) -> Result<Vec<u8>, String> {
    match source {
        SecretSource::Command(words) => of_command(words, env, deadline),
        SecretSource::File(path) => of_file(Path::new(path)),
    }
}

/// Converts the content to a value, without the line feed at its end.
fn value(mut bytes: Vec<u8>) -> Result<OsString, String> {
    if bytes.len() > LENGTH {
        return Err(format!("longer than {} KiB", LENGTH / 1024));
    }
    if bytes.ends_with(b"\n") {
        bytes.pop();
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
    }
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    if bytes.contains(&0) {
        return Err("contains a NUL character".to_owned());
    }
    Ok(OsString::from_vec(bytes))
}

fn of_file(path: &Path) -> Result<Vec<u8>, String> {
    let at = |reason: &dyn std::fmt::Display| format!("{}: {reason}", path.display());
    let file = open::plain(path, Links::Follow).map_err(|error| at(&error))?;
    let meta = file.metadata().map_err(|error| at(&error))?;
    let owner = rustix::process::geteuid().as_raw();
    if meta.uid() != owner && meta.uid() != 0 {
        return Err(at(&"owned by another user"));
    }
    if meta.mode() & 0o077 != 0 {
        return Err(at(&"other users can read or write it: run `chmod 600` on it"));
    }
    read::all(file, LENGTH + 2).map_err(|error| at(&error))
}

fn of_command(words: &[String], env: &BTreeMap<OsString, OsString>, deadline: Instant) -> Result<Vec<u8>, String> {
    let (program, args) = words.split_first().ok_or("its command is empty")?;
    let at = |reason: &dyn std::fmt::Display| format!("`{program}`: {reason}");
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env);
    // Standard error is discarded, since it may contain the secret.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // The command gets its own process group, so that all its processes can be killed.
    let mut child = command.process_group(0).spawn().map_err(|error| at(&error))?;
    let read = read_until_end(&mut child, deadline);
    if let Err(error) = read {
        end_group(&mut child);
        return Err(at(&error));
    }
    let (bytes, status) = read.map_err(|error| at(&error))?;
    if status.success() { Ok(bytes) } else { Err(at(&status)) }
}

/// Reads the output of a command until it exits. Processes that it leaves running may keep the pipe open; they are
/// not waited for.
fn read_until_end(child: &mut Child, deadline: Instant) -> io::Result<(Vec<u8>, ExitStatus)> {
    let mut pipe = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
    fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
    let mut bytes = Vec::new();
    loop {
        // Order matters: output from before the exit was observed is already in the pipe.
        let ended = child.try_wait()?;
        drain(&mut pipe, &mut bytes)?;
        if bytes.len() > LENGTH + 2 {
            return Err(io::Error::other(format!("printed more than {} KiB", LENGTH / 1024)));
        }
        if let Some(status) = ended {
            return Ok((bytes, status));
        }
        if Instant::now() >= deadline {
            return Err(io::Error::other(format!("did not finish within {} s", LIMIT.as_secs())));
        }
        wait_for_output(&pipe);
    }
}

/// Reads the output that is available now.
fn drain(pipe: &mut ChildStdout, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut part = [0; 4096];
    while bytes.len() <= LENGTH + 2 {
        match pipe.read(&mut part) {
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(&part[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn wait_for_output(pipe: &ChildStdout) {
    let mut fds = [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)];
    let interval = Timespec { tv_sec: 0, tv_nsec: INTERVAL.subsec_nanos().into() };
    let closed = |flags: PollFlags| flags.contains(PollFlags::HUP) && !flags.contains(PollFlags::IN);
    if poll(&mut fds, Some(&interval)).is_err() || closed(fds[0].revents()) {
        // The pipe was closed before the program exited, so the poll would return immediately.
        std::thread::sleep(INTERVAL);
    }
}

fn end_group(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    fn run(script: &str) -> Result<OsString, String> {
        let source = SecretSource::Command(["/bin/sh", "-c", script].map(str::to_owned).to_vec());
        one(source)
    }

    fn one(source: SecretSource) -> Result<OsString, String> {
        let env = [("PATH", "/usr/bin:/bin"), ("GIVEN", "given")].map(|(key, value)| (key.into(), value.into()));
        let resolved = resolve(&BTreeMap::from([("KEY".to_owned(), source)]), &env.into())?;
        Ok(resolved.into_iter().next().expect("one").1)
    }

    #[test]
    fn a_commands_output_is_the_value_without_its_line_feed() {
        assert_eq!(run("echo $GIVEN value").expect("read"), "given value");
        assert_eq!(run("printf 'two\\nlines\\n'").expect("read"), "two\nlines");
        assert_eq!(run("printf plain").expect("read"), "plain");
    }

    #[test]
    fn a_helper_that_stays_is_not_waited_for() {
        let begun = Instant::now();
        assert_eq!(run("sleep 5 & echo value").expect("read"), "value");
        assert!(begun.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn a_failure_names_the_secret_and_never_its_value() {
        for script in ["echo s3cret; exit 3", "echo s3cret >&2; exit 1", ":", "head -c 70000 /dev/zero | tr '\\0' s"] {
            let error = run(script).expect_err(script);
            assert!(error.contains("`KEY`"), "{error}");
            assert!(!error.contains("s3cret") && !error.contains("ssss"), "{error}");
        }
        let error = one(SecretSource::Command(vec!["/none/such".to_owned()])).expect_err("nothing there");
        assert!(error.contains("`KEY`"), "{error}");
    }

    #[test]
    fn a_file_must_be_private_and_regular() {
        let dir = tempfile::tempdir().expect("made");
        let path = dir.path().join("key");
        let file = || one(SecretSource::File(path.display().to_string()));
        assert!(file().expect_err("none there").contains("`KEY`"));
        fs::write(&path, "s3cret\n").expect("written");
        for (mode, fits) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            match file() {
                Ok(value) => assert!(fits && value == "s3cret", "{mode:o}"),
                Err(error) => assert!(!fits && error.contains("chmod 600") && !error.contains("s3cret"), "{error}"),
            }
        }
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("made");
        for path in [pipe.as_path(), dir.path(), Path::new("/dev/zero")] {
            let error = one(SecretSource::File(path.display().to_string())).expect_err("refused");
            assert!(error.contains("`KEY`"), "{error}");
        }
    }
}
