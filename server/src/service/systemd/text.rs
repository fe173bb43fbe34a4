//! The text of the units.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use standing::{Surroundings, TheLoop};

use super::SOCKET;

/// What a unit of ours begins with.
pub(super) const FIRST_LINE: &str = "# Written by `the-loop service install`, which writes it anew.";

/// What an agent needs to be found and to find its own. No secret is among them, and nothing that changes with a login.
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

/// The service's unit, and that of its port if there is to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    pub(crate) service: String,
    pub(crate) socket: Option<String>,
}

impl Units {
    /// The units of an instance; `Err` says why there can be none.
    pub(crate) fn of(the_loop: &TheLoop, with_socket: bool) -> Result<Self, String> {
        let config = the_loop.config();
        let settings = &config.settings.service;
        if !settings.enabled {
            return Err(format!("`service.enabled` is false in {}", config.path.file().display()));
        }
        let service = Service {
            here: the_loop.surroundings(),
            // One that is not there must not be asked for by name.
            config: config.path.file().exists().then(|| config.path.file()),
            project: config.path.project_dir(),
            with_socket,
        };
        let socket = if with_socket { Some(socket(&settings.host, settings.port)?) } else { None };
        Ok(Self { service: service.text()?, socket })
    }
}

struct Service<'a> {
    here: &'a Surroundings,
    config: Option<&'a Path>,
    project: &'a Path,
    with_socket: bool,
}

impl Service<'_> {
    fn text(&self) -> Result<String, String> {
        let mut command = quoted_command(self.here.exe())?;
        if let Some(config) = self.config {
            let _ = write!(command, " --config {}", quoted_command(config)?);
        }
        let project = utf8(self.project)?.replace('%', "%%");
        let needs = if self.with_socket { format!("Requires={SOCKET}\nAfter={SOCKET}\n") } else { String::new() };
        let secrets = self.secrets()?;
        let environment = self.environment()?;
        Ok(format!(
            "{FIRST_LINE}\n\
             [Unit]\n\
             Description=the-loop: standing sessions\n\
             {needs}\
             \n\
             [Service]\n\
             Type=notify\n\
             NotifyAccess=main\n\
             ExecStart={command} serve\n\
             # Sessions that start by themselves; one that does not start is no reason to have no service.\n\
             ExecStartPost=-{command} start --sessions-only\n\
             WorkingDirectory={project}\n\
             # As it was where this was written: a harness is looked for on this PATH.\n\
             {environment}\
             # For secrets, such as the Slack tokens: NAME=value a line, in a file of mode 0600.\n\
             EnvironmentFile=-{secrets}\n\
             # The end of the service is not that of the tmux server and its agents, should they be part of this unit;\n\
             # nor is an agent that is killed for want of memory the end of the service.\n\
             KillMode=process\n\
             OOMPolicy=continue\n\
             Restart=on-failure\n\
             RestartSec=1\n\
             # A mistake in the call or the config does not mend itself.\n\
             RestartPreventExitStatus=2\n\
             WatchdogSec=30\n\
             TimeoutStopSec=20\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n"
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

/// Where programs of this user have their configs.
pub(super) fn config_home(here: &Surroundings) -> Option<PathBuf> {
    let named = here.var("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(here.home()?.join(".config")))
}

fn socket(host: &str, port: u16) -> Result<String, String> {
    // A unit takes addresses and no names.
    let address = match host {
        "localhost" => "127.0.0.1".to_owned(),
        host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
        host => host.to_owned(),
    };
    if port == 0 {
        return Err("`service.port` is 0, and a unit needs to know its port".to_owned());
    }
    Ok(format!(
        "{FIRST_LINE}\n\
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

/// A word of a command line: systemd replaces `$` in those besides.
fn quoted_command(path: &Path) -> Result<String, String> {
    if !path.is_absolute() {
        return Err(format!("{}: a unit needs an absolute path", path.display()));
    }
    Ok(quoted(utf8(path)?)?.replace('$', "$$"))
}

/// A word as systemd reads it back.
fn quoted(word: &str) -> Result<String, String> {
    if word.contains(|c: char| c.is_control()) {
        return Err(format!("`{}` holds a control character, which a unit cannot", word.escape_debug()));
    }
    Ok(format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%")))
}

fn utf8(path: &Path) -> Result<&str, String> {
    let text = path.to_str().ok_or_else(|| format!("{}: a path in a unit must be UTF-8", path.display()))?;
    if text.contains(|c: char| c.is_control()) {
        return Err(format!("`{}` holds a control character, which a unit cannot", text.escape_debug()));
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
        Service { here, config, project: Path::new("/p"), with_socket }.text().expect("a unit")
    }

    #[test]
    fn paths_stay_one_word_and_nothing_in_them_is_replaced() {
        let text = unit(&here(), false);
        let start = r#"ExecStart="/opt/the loop/bin$$/100%%/the-loop" --config "/p/.the-loop/cli-config.yaml" serve"#;
        assert!(text.contains(start), "{text}");
        assert!(text.contains("\nKillMode=process\n") && text.contains("\nType=notify\n"), "{text}");
        assert!(!text.contains("the-loop.socket"), "{text}");
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
        let service = |here, project| Service { here, config: None, project: Path::new(project), with_socket: false };
        let (usual, relative) = (here(), here().with_exe("the-loop"));
        assert!(service(&usual, "/p\nExecStart=/bin/sh").text().expect_err("refused").contains("control character"));
        assert!(service(&relative, "/p").text().expect_err("refused").contains("absolute"));
        let broken = here().with_var("PATH", "/a\nb");
        assert!(service(&broken, "/p").text().is_err());
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
