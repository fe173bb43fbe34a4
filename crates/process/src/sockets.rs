//! Missing sockets that the environment names: of a login that ended, a forwarded agent, an editor that was closed. A
//! service outlives them, and a harness that gets such a variable waits or fails at it.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::Surroundings;

/// Variable that names a missing socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Name of the variable.
    pub key: String,
    /// First socket that it names.
    pub path: PathBuf,
}

/// Variables that hold a socket's path although their name does not say so.
const PLAIN: [&str; 6] = [
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "VSCODE_IPC_HOOK",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "ZED_TERM_SOCKET",
];

/// Lists every variable that names only missing sockets.
pub fn gone(environment: &Surroundings) -> Vec<Gone> {
    let named = environment.vars().filter_map(|(key, value)| Some((key.to_str()?, value.to_str()?)));
    named
        .filter_map(|(key, value)| {
            let sockets = named_by(key, value, environment);
            let first = sockets.first()?.clone();
            sockets.iter().all(|path| is_gone(path)).then(|| Gone { key: key.to_owned(), path: first })
        })
        .collect()
}

/// Lists the socket paths that a variable names. Abstract sockets have none.
fn named_by(key: &str, value: &str, environment: &Surroundings) -> Vec<PathBuf> {
    let absolute = |path: &str| path.starts_with('/').then(|| PathBuf::from(path));
    match key {
        // Several addresses, one of which is enough: `unix:path=/run/user/1000/bus,guid=…;…`.
        "DBUS_SESSION_BUS_ADDRESS" | "DBUS_SYSTEM_BUS_ADDRESS" | "AT_SPI_BUS_ADDRESS" => {
            let path = |address: &str| {
                let rest = address.strip_prefix("unix:")?;
                rest.split(',').find_map(|part| part.strip_prefix("path=")).and_then(absolute)
            };
            let paths: Vec<Option<PathBuf>> = value.split(';').filter(|part| !part.is_empty()).map(path).collect();
            // An address of another kind may still work.
            paths.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default()
        }
        // `path:pid:protocol`.
        "GPG_AGENT_INFO" => value.split(':').next().and_then(absolute).into_iter().collect(),
        // A path, or a name in the runtime folder.
        "WAYLAND_DISPLAY" => {
            let dir = environment.var("XDG_RUNTIME_DIR").map(Path::new);
            absolute(value).or_else(|| Some(dir?.join(value))).filter(|_| !value.is_empty()).into_iter().collect()
        }
        _ => {
            let schemed = ["unix://", "unix:"].iter().find_map(|scheme| value.strip_prefix(scheme));
            let named = key.ends_with("SOCK") || key.ends_with("SOCKET") || PLAIN.contains(&key);
            let end = Path::new(value).extension();
            let plain = (named || end.is_some_and(|end| end == "sock" || end == "socket")).then_some(value);
            schemed.or(plain).and_then(absolute).into_iter().collect()
        }
    }
}

/// True if a path does not exist. An existing socket is not tried: that could start the service behind it.
fn is_gone(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn only_what_is_gone_is_left_out() {
        let dir = tempfile::tempdir().expect("made");
        let at = |name: &str| dir.path().join(name).display().to_string();
        let _listens = UnixListener::bind(at("live")).expect("bound");
        fs::write(at("file"), "").expect("written");
        let (live, none) = (at("live"), at("none"));
        for (key, value, expected) in [
            ("SSH_AUTH_SOCK", live.clone(), false),
            ("SSH_AUTH_SOCK", none.clone(), true),
            ("SSH_AUTH_SOCK", at("file"), false),
            ("SSH_AUTH_SOCK", at("file/below"), true),
            ("GPG_AGENT_INFO", format!("{none}:12:1"), true),
            ("DOCKER_HOST", format!("unix://{none}"), true),
            ("DOCKER_HOST", format!("unix://{live}"), false),
            ("DOCKER_HOST", "tcp://h:2375".to_owned(), false),
            ("PULSE_SERVER", format!("unix:{none}"), true),
            ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={none},guid=1"), true),
            ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={none};unix:path={live}"), false),
            ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={none};tcp:host=h"), false),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=/tmp/x".to_owned(), false),
            ("WAYLAND_DISPLAY", "wayland-9".to_owned(), true),
            ("WAYLAND_DISPLAY", "live".to_owned(), false),
            ("MY_TOOL", format!("{none}.sock"), true),
            ("MY_FILE", none.clone(), false),
            ("SOME_SOCK", "3".to_owned(), false),
        ] {
            let here = Surroundings::empty().with_var("XDG_RUNTIME_DIR", dir.path()).with_var(key, &value);
            let found = gone(&here);
            assert_eq!(found.iter().any(|one| one.key == key), expected, "{key}={value}: {found:?}");
        }
    }
}
