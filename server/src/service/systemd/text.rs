//! Text of the units.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use standing::{Surroundings, TheLoop};

use super::{SERVICE, SOCKET};

/// First line of the units that the-loop writes.
pub(super) const FIRST_LINE: &str = "# Written by `the-loop service install`";

/// Variables that an agent needs to be found and to find its own files. None is a secret, and none changes with a
/// login.
const HANDED_ON: [&str; 12] = [
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "SHELL",
    "TMUX_TMPDIR",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Units of the service, of the sessions, and optionally of the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    pub(crate) service: String,
    pub(crate) sessions: String,
    pub(crate) socket: Option<String>,
}

impl Units {
    /// Returns the units of an instance; the error is the reason why there can be none.
    pub(crate) fn of(the_loop: &TheLoop, with_socket: bool) -> Result<Self, String> {
        let config = the_loop.config();
        let settings = &config.settings.service;
        if !settings.enabled {
            return Err(format!("`service.enabled` is false in {}", config.path.file().display()));
        }
        let instance = Instance {
            here: the_loop.surroundings(),
            // A config file that does not exist must not be named.
            config: config.path.file().exists().then(|| config.path.file()),
            project: config.path.project_dir(),
        };
        let socket = if with_socket { Some(socket(&settings.host, settings.port)?) } else { None };
        Ok(Self { service: instance.service(with_socket)?, sessions: instance.sessions()?, socket })
    }
}

struct Instance<'a> {
    here: &'a Surroundings,
    config: Option<&'a Path>,
    project: &'a Path,
}

impl Instance<'_> {
    fn service(&self, with_socket: bool) -> Result<String, String> {
        let needs = if with_socket { format!("Requires={SOCKET}\nAfter={SOCKET}\n") } else { String::new() };
        let (command, common) = (self.command()?, self.common()?);
        Ok(format!(
            "{FIRST_LINE}, which overwrites it.\n\
             [Unit]\n\
             Description=the-loop: service for standing sessions\n\
             {needs}\
             \n\
             [Service]\n\
             Type=notify\n\
             NotifyAccess=main\n\
             ExecStart={command} serve\n\
             {common}\
             Restart=on-failure\n\
             RestartSec=1\n\
             # A retry does not fix invalid arguments or config.\n\
             RestartPreventExitStatus=2\n\
             WatchdogSec=30\n\
             TimeoutStopSec=20\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n"
        ))
    }

    fn sessions(&self) -> Result<String, String> {
        let (command, common) = (self.command()?, self.common()?);
        Ok(format!(
            "{FIRST_LINE}, which overwrites it.\n\
             [Unit]\n\
             Description=the-loop: auto-start sessions\n\
             Wants={SERVICE}\n\
             After={SERVICE}\n\
             \n\
             [Service]\n\
             # Runs once after a boot or login. Restarting the service does not run it again, and stopping it stops no\n\
             # session.\n\
             Type=oneshot\n\
             RemainAfterExit=yes\n\
             ExecStart={command} start --sessions-only\n\
             {common}\
             \n\
             [Install]\n\
             WantedBy=default.target\n"
        ))
    }

    fn command(&self) -> Result<String, String> {
        let mut command = quoted_command(self.here.exe())?;
        if let Some(config) = self.config {
            let _ = write!(command, " --config {}", quoted_command(config)?);
        }
        Ok(command)
    }

    /// Returns the part that both units have.
    fn common(&self) -> Result<String, String> {
        let (environment, secrets) = (self.environment()?, self.secrets()?);
        let project = utf8(self.project)?.replace('%', "%%");
        Ok(format!(
            "WorkingDirectory={project}\n\
             # From the shell that wrote this file; harnesses are looked up on this PATH.\n\
             {environment}\
             # For secrets such as the Slack tokens: one NAME=value per line, in a file with mode 0600.\n\
             EnvironmentFile=-{secrets}\n\
             # Stopping this unit does not stop the tmux server and its agents, and an agent that is killed for lack of\n\
             # memory does not stop this unit.\n\
             KillMode=process\n\
             OOMPolicy=continue\n"
        ))
    }

    fn environment(&self) -> Result<String, String> {
        let mut lines = String::new();
        let mut utf8_locale = false;
        for key in HANDED_ON {
            let Some(value) = self.here.var(key) else { continue };
            let value = value.to_str().ok_or_else(|| format!("the variable {key} is not UTF-8"))?;
            utf8_locale |= ["LANG", "LC_ALL", "LC_CTYPE"].contains(&key);
            let _ = writeln!(lines, "Environment={}", quoted(&format!("{key}={value}"))?);
        }
        if !utf8_locale {
            lines.push_str("Environment=\"LANG=C.UTF-8\"\n");
        }
        Ok(lines)
    }

    fn secrets(&self) -> Result<String, String> {
        let folder = config_home(self.here).ok_or("HOME is not set")?;
        Ok(utf8(&folder.join("the-loop/service.env"))?.replace('%', "%%"))
    }
}

/// True if the text starts a unit of the-loop for the service with that config.
pub(super) fn begins_with(unit: &str, config: &Path) -> bool {
    quoted_command(config).is_ok_and(|config| {
        unit.lines().any(|line| line.starts_with("ExecStart=") && line.ends_with(&format!(" --config {config} serve")))
    })
}

/// Returns the user's folder of configs.
pub(super) fn config_home(here: &Surroundings) -> Option<PathBuf> {
    let named = here.var("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(here.home()?.join(".config")))
}

fn socket(host: &str, port: u16) -> Result<String, String> {
    // A unit accepts addresses and no names.
    let address = match host {
        "localhost" => "127.0.0.1".to_owned(),
        host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
        host => host.to_owned(),
    };
    if port == 0 {
        return Err("`service.port` is 0, but a unit needs a fixed port".to_owned());
    }
    Ok(format!(
        "{FIRST_LINE}, which overwrites it.\n\
         [Unit]\n\
         Description=the-loop: where the service listens\n\
         \n\
         [Socket]\n\
         ListenStream={address}:{port}\n\
         NoDelay=true\n\
         \n\
         [Install]\n\
         WantedBy=sockets.target\n"
    ))
}

/// Quotes a word of a command line, where systemd also replaces `$`.
fn quoted_command(path: &Path) -> Result<String, String> {
    if !path.is_absolute() {
        return Err(format!("{}: a unit needs an absolute path", path.display()));
    }
    Ok(quoted(utf8(path)?)?.replace('$', "$$"))
}

/// Quotes a word as systemd reads it.
fn quoted(word: &str) -> Result<String, String> {
    if word.contains(|c: char| c.is_control()) {
        return Err(format!("`{}` contains a control character, which a unit does not allow", word.escape_debug()));
    }
    Ok(format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%")))
}

fn utf8(path: &Path) -> Result<&str, String> {
    let text = path.to_str().ok_or_else(|| format!("{}: a path in a unit must be UTF-8", path.display()))?;
    if text.contains(|c: char| c.is_control()) {
        return Err(format!("`{}` contains a control character, which a unit does not allow", text.escape_debug()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Surroundings {
        let mut here =
            Surroundings::of_process().with_exe("/opt/the loop/bin$/100%/the-loop").with_var("HOME", "/home/u");
        for key in HANDED_ON {
            here = here.without_var(key);
        }
        here.with_var("PATH", "/usr/bin:/bin").with_var("THE_LOOP_SLACK_BOT_TOKEN", "xoxb-secret")
    }

    fn unit(here: &Surroundings, with_socket: bool) -> String {
        let config = Some(Path::new("/p/.the-loop/cli-config.yaml"));
        Instance { here, config, project: Path::new("/p") }.service(with_socket).expect("a unit")
    }

    #[test]
    fn paths_stay_one_word_and_nothing_in_them_is_replaced() {
        let text = unit(&here(), false);
        let start = r#"ExecStart="/opt/the loop/bin$$/100%%/the-loop" --config "/p/.the-loop/cli-config.yaml" serve"#;
        assert!(text.contains(start), "{text}");
        assert!(text.contains("\nKillMode=process\n") && text.contains("\nType=notify\n"), "{text}");
        assert!(!text.contains("the-loop.socket"), "{text}");
        assert!(begins_with(&text, Path::new("/p/.the-loop/cli-config.yaml")), "{text}");
        assert!(!begins_with(&text, Path::new("/q/.the-loop/cli-config.yaml")));
        assert!(unit(&here(), true).contains("Requires=the-loop.socket"));
    }

    #[test]
    fn agents_are_found_and_no_secret_is_written_down() {
        let text = unit(&here(), false);
        assert!(text.contains("Environment=\"PATH=/usr/bin:/bin\"\nEnvironment=\"LANG=C.UTF-8\"\n"), "{text}");
        assert!(text.contains("EnvironmentFile=-/home/u/.config/the-loop/service.env"), "{text}");
        assert!(!text.contains("xoxb"), "{text}");
        let german = unit(&here().with_var("LANG", "de_DE.UTF-8"), false);
        assert!(german.contains("LANG=de_DE.UTF-8") && !german.contains("C.UTF-8"), "{german}");
    }

    #[test]
    fn what_a_unit_cannot_say_is_refused() {
        let unit = |here, project| Instance { here, config: None, project: Path::new(project) }.service(false);
        let (usual, relative) = (here(), here().with_exe("the-loop"));
        assert!(unit(&usual, "/p\nExecStart=/bin/sh").expect_err("refused").contains("control character"));
        assert!(unit(&relative, "/p").expect_err("refused").contains("absolute"));
        let broken = here().with_var("PATH", "/a\nb");
        assert!(unit(&broken, "/p").is_err());
    }

    #[test]
    fn a_port_is_where_the_config_has_it() {
        for (host, listens) in [("127.0.0.1", "127.0.0.1:4114"), ("localhost", "127.0.0.1:4114"), ("::1", "[::1]:4114")]
        {
            assert!(socket(host, 4114).expect("a unit").contains(&format!("ListenStream={listens}\n")));
        }
        assert!(socket("127.0.0.1", 0).is_err());
    }
}
