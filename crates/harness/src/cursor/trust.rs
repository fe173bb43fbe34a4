//! Trust of a directory for Cursor's agent: one file for each trusted directory.

use config::HarnessTrust;
use process::clock;
use serde_json::json;

use crate::{
    Place,
    trust::{Act, Trust, Vendor, merge, set, trusted_directories},
};

/// Trusts a directory for Cursor's agent. The format of the file is known from reports of others.
pub(super) fn ensure(place: &Place<'_>, settings: HarnessTrust, act: Act) -> Result<Trust, String> {
    let projects = place.home().ok_or("HOME is not set")?.join(".cursor/projects");
    let mut trust = Trust::Given;
    for directory in trusted_directories(place.cwd, settings.scope) {
        let file = projects.join(project(&directory)).join(".workspace-trusted");
        let there = merge(&file, Vendor::Unlocked, act, |root| {
            if root.contains_key("trustedAt") {
                return Some(false);
            }
            set(root, "trustedAt", json!(clock::now_millis()));
            Some(set(root, "workspacePath", json!(directory)))
        })?;
        trust = trust.and(there);
    }
    Ok(trust)
}

/// Returns a directory's folder name: its path, with each run of characters that are not letters or digits as one
/// hyphen, and none at the ends.
fn project(directory: &str) -> String {
    let words = directory.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use config::{BypassPermissions, TrustScope};
    use process::Surroundings;

    use super::*;

    #[test]
    fn a_directory_gets_its_file_once() {
        assert_eq!(project("/home/u/my.project_2"), "home-u-my-project-2");
        let home = tempfile::tempdir().expect("made");
        let cwd = home.path().canonicalize().expect("there");
        let here = Surroundings::of_process().with_var("HOME", home.path());
        let settings = HarnessTrust {
            enabled: true,
            scope: TrustScope::Directory,
            accept_bypass_permissions: BypassPermissions::Auto,
        };
        let place = Place::of(&here, &cwd);
        ensure(&place, settings, Act::Write).expect("trusted");
        let key = project(cwd.to_str().expect("UTF-8"));
        let file = home.path().join(".cursor/projects").join(key).join(".workspace-trusted");
        let written = fs::read_to_string(&file).expect("there");
        assert!(written.contains("workspacePath"), "{written}");
        ensure(&place, settings, Act::Write).expect("nothing to do");
        assert_eq!(fs::read_to_string(&file).expect("there"), written);
    }
}
