//! The user's systemd manager, as `systemctl --user` reaches it.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

use standing::Surroundings;

/// Availability of systemd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    /// The manager answers.
    Answers,
    /// `systemctl` is installed, but the manager does not answer: no login, or a container.
    Silent,
    /// `systemctl` is not installed.
    Missing,
}

impl Manager {
    pub(crate) fn look(here: &Surroundings) -> Self {
        match systemctl(here).arg("show-environment").stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(status) if status.success() => Self::Answers,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Ok(_) | Err(_) => Self::Silent,
        }
    }

    /// Runs a command of `systemctl`; the error is its output.
    pub(crate) fn tell(here: &Surroundings, args: &[&str]) -> Result<(), String> {
        let output = systemctl(here).args(args).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(format!("`systemctl --user {}` failed ({}): {said}", args.join(" "), output.status))
            }
            Err(error) => Err(format!("`systemctl --user {}`: {error}", args.join(" "))),
        }
    }
}

fn systemctl(here: &Surroundings) -> Command {
    let mut command = Command::new("systemctl");
    command.arg("--user").env_clear().envs(here.vars()).stdin(Stdio::null());
    command
}

/// True if this user's units keep running without a login; `None` if that could not be determined.
pub(crate) fn lingers(here: &Surroundings) -> Option<bool> {
    let user = here.var("USER").or_else(|| here.var("LOGNAME"))?.to_str()?;
    let known = Path::new("/var/lib/systemd/linger");
    (!user.contains('/')).then(|| known.join(user).exists())
}
