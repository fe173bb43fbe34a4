//! Trust of a directory for Gemini CLI: `trustedFolders.json`.

use config::HarnessTrust;
use serde_json::json;

use super::folder;
use crate::{
    Place,
    trust::{Act, Trust, Vendor, merge, trusted_directories},
};

/// Trusts a directory for Gemini CLI. An existing level, whichever it is, counts as an answer that was given.
pub(super) fn ensure(place: &Place<'_>, settings: HarnessTrust, act: Act) -> Result<Trust, String> {
    let file = match place.path("GEMINI_CLI_TRUSTED_FOLDERS_PATH") {
        Some(file) => file,
        None => folder(place).ok_or("HOME is not set")?.join("trustedFolders.json"),
    };
    merge(&file, Vendor::Folder, act, |root| {
        let mut changed = false;
        for directory in trusted_directories(place.cwd, settings.scope) {
            if !root.contains_key(&directory) {
                root.insert(directory, json!("TRUST_FOLDER"));
                changed = true;
            }
        }
        Some(changed)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use config::{BypassPermissions, TrustScope};
    use process::Surroundings;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_folder_is_added_and_an_answer_that_was_given_stands() {
        let home = tempfile::tempdir().expect("made");
        let cwd = home.path().canonicalize().expect("there").join("work");
        fs::create_dir_all(&cwd).expect("made");
        let here = Surroundings::of_process()
            .with_var("HOME", home.path())
            .without_var("GEMINI_CLI_HOME")
            .without_var("GEMINI_CLI_TRUSTED_FOLDERS_PATH");
        let place = Place::of(&here, &cwd);
        let settings = HarnessTrust {
            enabled: true,
            scope: TrustScope::Directory,
            accept_bypass_permissions: BypassPermissions::Auto,
        };
        let file = home.path().join(".gemini/trustedFolders.json");
        let read = || serde_json::from_str::<Value>(&fs::read_to_string(&file).expect("read")).expect("JSON");
        ensure(&place, settings, Act::Write).expect("trusted");
        let key = cwd.to_str().expect("UTF-8");
        assert_eq!(read()[key], "TRUST_FOLDER");
        fs::write(&file, json!({key: "DO_NOT_TRUST"}).to_string()).expect("written");
        ensure(&place, settings, Act::Write).expect("nothing to do");
        assert_eq!(read()[key], "DO_NOT_TRUST");
    }
}
