//! Answers to the prompts of Claude Code's first start, written beforehand.

use config::{BypassPermissions, HarnessTrust};
use serde_json::json;

use super::config_dir;
use crate::{
    Place,
    trust::{Act, Trust, Vendor, merge, object, set, trusted_directories},
};

/// Trusts a directory for Claude Code: no trust dialog, no onboarding, and no warning about skipped permissions if they
/// are requested. The trust dialog preselects the answer that exits, so a pasted Enter would quit.
pub(super) fn ensure(place: &Place<'_>, args: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
    let folder = place.path("CLAUDE_CONFIG_DIR").or_else(|| place.home()).ok_or("HOME is not set")?;
    let main = folder.join(".claude.json");
    let directories = trusted_directories(place.cwd, settings.scope);
    let trust = merge(&main, Vendor::Folder, act, |root| {
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
        return Ok(trust);
    }
    let dir = config_dir(place).ok_or("HOME is not set")?;
    let settings = dir.join("settings.json");
    Ok(trust.and(merge(&settings, Vendor::Unlocked, act, |root| {
        Some(set(root, "skipDangerousModePermissionPrompt", json!(true)))
    })?))
}

fn asks_for_bypass(args: &[String]) -> bool {
    let mode = |arg: &str| arg == "bypassPermissions";
    args.iter()
        .any(|arg| arg == "--dangerously-skip-permissions" || arg.strip_prefix("--permission-mode=").is_some_and(mode))
        || args.windows(2).any(|pair| pair[0] == "--permission-mode" && mode(&pair[1]))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use config::TrustScope;
    use process::Surroundings;
    use serde_json::Value;

    use super::*;

    const SETTINGS: HarnessTrust = HarnessTrust {
        enabled: true,
        scope: TrustScope::Directory,
        accept_bypass_permissions: BypassPermissions::Auto,
    };

    #[test]
    fn trust_is_merged_and_written_only_when_missing() {
        let home = tempfile::tempdir().expect("made");
        let here = Surroundings::of_process().with_var("HOME", home.path()).without_var("CLAUDE_CONFIG_DIR");
        let place = Place::of(&here, home.path());
        let file = home.path().join(".claude.json");
        fs::write(&file, r#"{"theirs": 1, "projects": {"/else": {"k": true}}}"#).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
        ensure(&place, &[], SETTINGS, Act::Write).expect("trusted");
        let read = || serde_json::from_str::<Value>(&fs::read_to_string(&file).expect("read")).expect("JSON");
        let value = read();
        let cwd = home.path().to_str().expect("UTF-8");
        assert_eq!(value["theirs"], 1);
        assert_eq!(value["projects"]["/else"]["k"], true);
        assert_eq!(value["projects"][cwd]["hasTrustDialogAccepted"], true);
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
        assert!(!home.path().join(".claude/settings.json").exists(), "no bypass was asked for");
        let before = fs::metadata(&file).expect("there").modified().expect("time");
        ensure(&place, &["--dangerously-skip-permissions".to_owned()], SETTINGS, Act::Write).expect("trusted");
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
            ensure(&Place::of(&here, home.path()), &[], SETTINGS, Act::Write).expect_err("refused");
            assert_eq!(fs::read_to_string(&file).expect("read"), text);
        }
    }
}
