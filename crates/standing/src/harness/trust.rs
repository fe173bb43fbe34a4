//! Trust of a working directory, written where a harness looks for it.
//!
//! These files are another program's: merged, never replaced; nothing is written when nothing is missing, and a file
//! that does not parse is not touched. A failure is told of and never keeps a session from starting.

use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{Place, claude::config_dir};
use crate::config::{BypassPermissions, HarnessTrust, TrustScope};

/// Trusts a directory for Claude Code: no trust dialog, no onboarding, and no warning about skipped permissions if
/// they are asked for. On the trust dialog the answer that exits is preselected, so that a pasted Enter would quit.
pub(super) fn claude(place: &Place<'_>, args: &[String], settings: HarnessTrust) -> Result<(), String> {
    if !settings.enabled {
        return Ok(());
    }
    let home = place.surroundings.home().ok_or("HOME is not set")?;
    let main = match place.surroundings.var("CLAUDE_CONFIG_DIR") {
        Some(dir) => Path::new(dir).join(".claude.json"),
        None => home.join(".claude.json"),
    };
    let directories = trusted_directories(place.cwd, settings.scope);
    merge(&main, |root| {
        let mut changed = set(root, "hasCompletedOnboarding", json!(true));
        let projects = object(root, "projects")?;
        for directory in &directories {
            let project = object(projects, directory)?;
            changed |= set(project, "hasTrustDialogAccepted", json!(true));
            changed |= set(project, "hasCompletedProjectOnboarding", json!(true));
        }
        Some(changed)
    })?;
    let bypass = match settings.accept_bypass_permissions {
        BypassPermissions::Always => true,
        BypassPermissions::Never => false,
        BypassPermissions::Auto => asks_for_bypass(args),
    };
    if !bypass {
        return Ok(());
    }
    let dir = config_dir(place.surroundings).ok_or("HOME is not set")?;
    merge(&dir.join("settings.json"), |root| Some(set(root, "skipDangerousModePermissionPrompt", json!(true))))
}

fn asks_for_bypass(args: &[String]) -> bool {
    let mode = |arg: &str| arg == "bypassPermissions";
    args.iter()
        .any(|arg| arg == "--dangerously-skip-permissions" || arg.strip_prefix("--permission-mode=").is_some_and(mode))
        || args.windows(2).any(|pair| pair[0] == "--permission-mode" && mode(&pair[1]))
}

/// The directory, or the root of its repository, each as it is named and as it really is.
fn trusted_directories(cwd: &Path, scope: TrustScope) -> Vec<String> {
    let mut found = vec![cwd.to_owned()];
    if scope == TrustScope::WorkspaceRoot {
        found.extend(cwd.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned));
    }
    found.extend(found.clone().iter().filter_map(|dir| dir.canonicalize().ok()));
    let mut names: Vec<String> = found.into_iter().filter_map(|dir| dir.into_os_string().into_string().ok()).collect();
    names.sort();
    names.dedup();
    names
}

fn set(object: &mut Map<String, Value>, key: &str, value: Value) -> bool {
    if object.get(key) == Some(&value) {
        return false;
    }
    object.insert(key.to_owned(), value);
    true
}

/// The object under a key, made if missing; `None` if something else stands there.
fn object<'a>(parent: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    parent.entry(key.to_owned()).or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

/// Merges into a JSON file: `change` says whether it changed anything, or `None` for a shape that is not understood.
fn merge(path: &Path, change: impl FnOnce(&mut Map<String, Value>) -> Option<bool>) -> Result<(), String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    // A linked file stays linked: what is written is what the link leads to.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut root = match fs::read_to_string(&real) {
        Ok(text) if text.trim().is_empty() => Map::new(),
        Ok(text) => serde_json::from_str(&text).map_err(|error| at(&error))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(at(&error)),
    };
    match change(&mut root) {
        None => Err(at(&"it has another shape than expected, and was left alone")),
        Some(false) => Ok(()),
        Some(true) => replace(&real, &Value::Object(root)).map_err(|error| at(&error)),
    }
}

fn replace(path: &Path, value: &Value) -> std::io::Result<()> {
    let dir: PathBuf = path.parent().unwrap_or(Path::new("/")).to_owned();
    fs::create_dir_all(&dir)?;
    let mut file = tempfile::NamedTempFile::new_in(&dir)?;
    file.write_all(serde_json::to_string_pretty(value).unwrap_or_default().as_bytes())?;
    if let Ok(meta) = fs::metadata(path) {
        file.as_file().set_permissions(fs::Permissions::from_mode(meta.permissions().mode()))?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surroundings;

    const SETTINGS: HarnessTrust = HarnessTrust {
        enabled: true,
        scope: TrustScope::Directory,
        accept_bypass_permissions: BypassPermissions::Auto,
    };

    #[test]
    fn trust_is_merged_and_written_only_when_missing() {
        let home = tempfile::tempdir().expect("made");
        let here = Surroundings::of_process().with_var("HOME", home.path()).without_var("CLAUDE_CONFIG_DIR");
        let place = Place { surroundings: &here, cwd: home.path() };
        let file = home.path().join(".claude.json");
        fs::write(&file, r#"{"theirs": 1, "projects": {"/else": {"k": true}}}"#).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
        claude(&place, &[], SETTINGS).expect("trusted");
        let read = || serde_json::from_str::<Value>(&fs::read_to_string(&file).expect("read")).expect("JSON");
        let value = read();
        let cwd = home.path().to_str().expect("UTF-8");
        assert_eq!(value["theirs"], 1);
        assert_eq!(value["projects"]["/else"]["k"], true);
        assert_eq!(value["projects"][cwd]["hasTrustDialogAccepted"], true);
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
        assert!(!home.path().join(".claude/settings.json").exists(), "no bypass was asked for");
        let before = fs::metadata(&file).expect("there").modified().expect("time");
        claude(&place, &["--dangerously-skip-permissions".to_owned()], SETTINGS).expect("trusted");
        assert_eq!(fs::metadata(&file).expect("there").modified().expect("time"), before, "nothing was missing");
        assert!(home.path().join(".claude/settings.json").exists());
    }

    #[test]
    fn what_does_not_parse_is_left_alone() {
        let home = tempfile::tempdir().expect("made");
        let here = Surroundings::of_process().with_var("HOME", home.path()).without_var("CLAUDE_CONFIG_DIR");
        let file = home.path().join(".claude.json");
        for text in ["{ not json", "[]", r#"{"projects": 3}"#] {
            fs::write(&file, text).expect("written");
            claude(&Place { surroundings: &here, cwd: home.path() }, &[], SETTINGS).expect_err("refused");
            assert_eq!(fs::read_to_string(&file).expect("read"), text);
        }
    }
}
