//! Retention of conversations by a harness.

use std::{fs, path::Path};

use serde_json::Value;

/// Time that a harness keeps a conversation that is not resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// Conversations are never removed.
    Forever,
    /// Conversations are removed after this many days without a write.
    Days(u64),
    /// Conversations are not written at all.
    None,
}

/// Default of Claude Code.
const CLAUDE_DAYS: u64 = 30;

/// Reads `cleanupPeriodDays` from the settings of the folder, else from the user's settings. With 0 Claude Code keeps
/// nothing.
pub(super) fn claude(config_dir: &Path, cwd: &Path) -> Retention {
    let files =
        [cwd.join(".claude/settings.local.json"), cwd.join(".claude/settings.json"), config_dir.join("settings.json")];
    let days = files.iter().find_map(|file| read(file)?.get("cleanupPeriodDays")?.as_u64());
    match days.unwrap_or(CLAUDE_DAYS) {
        0 => Retention::None,
        days => Retention::Days(days),
    }
}

/// Reads `general.sessionRetention`: nothing is removed unless it is enabled; `maxAge` is like `30d`.
pub(super) fn gemini(folder: &Path, cwd: &Path) -> Retention {
    let files = [cwd.join(".gemini/settings.json"), folder.join("settings.json")];
    let Some(retention) = files.iter().find_map(|file| read(file)?.pointer("/general/sessionRetention").cloned())
    else {
        return Retention::Forever;
    };
    if retention["enabled"] != true {
        return Retention::Forever;
    }
    let age = retention["maxAge"].as_str().unwrap_or_default();
    let split = age.len().saturating_sub(1);
    let days = match (age.get(..split).and_then(|number| number.parse::<u64>().ok()), age.get(split..)) {
        (Some(hours), Some("h")) => Some(hours / 24),
        (Some(days), Some("d")) => Some(days),
        (Some(weeks), Some("w")) => weeks.checked_mul(7),
        (Some(months), Some("m")) => months.checked_mul(30),
        _ => None,
    };
    days.map_or(Retention::Forever, Retention::Days)
}

fn read(file: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_a_folder_come_before_those_of_the_user() {
        let dir = tempfile::tempdir().expect("made");
        let (user, cwd) = (dir.path().join("user"), dir.path().join("work"));
        let put = |file: &Path, text: &str| {
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        };
        assert_eq!(claude(&user, &cwd), Retention::Days(30));
        put(&user.join("settings.json"), r#"{"cleanupPeriodDays": 3650}"#);
        assert_eq!(claude(&user, &cwd), Retention::Days(3650));
        put(&cwd.join(".claude/settings.json"), r#"{"cleanupPeriodDays": 0}"#);
        assert_eq!(claude(&user, &cwd), Retention::None);
        put(&cwd.join(".claude/settings.local.json"), "no JSON");
        assert_eq!(claude(&user, &cwd), Retention::None);
        assert_eq!(gemini(&user, &cwd), Retention::Forever);
        put(&user.join("settings.json"), r#"{"general": {"sessionRetention": {"enabled": true, "maxAge": "2w"}}}"#);
        assert_eq!(gemini(&user, &cwd), Retention::Days(14));
    }
}
