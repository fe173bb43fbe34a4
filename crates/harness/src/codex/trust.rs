//! Trust of a directory for Codex: `[projects."<dir>"] trust_level`.

use config::HarnessTrust;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::home;
use crate::{
    Place,
    trust::{Act, SHAPE, Trust, Vendor, edit, trusted_directories},
};

/// Trusts a directory for Codex. An existing level, whichever it is, counts as an answer that was given.
pub(super) fn ensure(place: &Place<'_>, settings: HarnessTrust, act: Act) -> Result<Trust, String> {
    let config = home(place).ok_or("HOME is not set")?.join("config.toml");
    edit(&config, Vendor::Unlocked, act, |text| {
        let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
        let mut changed = false;
        for directory in trusted_directories(place.cwd, settings.scope) {
            changed |= trust(&mut document, &directory).ok_or(SHAPE)?;
        }
        Ok(changed.then(|| document.to_string()))
    })
}

fn trust(document: &mut DocumentMut, directory: &str) -> Option<bool> {
    let projects = table(document.as_table_mut(), "projects")?;
    let project = table(projects, directory)?;
    if project.contains_key("trust_level") {
        return Some(false);
    }
    project.insert("trust_level", value("trusted"));
    Some(true)
}

/// Returns the table under a key, created if missing; `None` if the key holds another type.
fn table<'a>(parent: &'a mut dyn TableLike, key: &str) -> Option<&'a mut dyn TableLike> {
    if !parent.contains_key(key) {
        let mut made = Table::new();
        // An empty `[projects]` header is redundant.
        made.set_implicit(key == "projects");
        parent.insert(key, Item::Table(made));
    }
    parent.get_mut(key)?.as_table_like_mut()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use config::{BypassPermissions, TrustScope};
    use process::Surroundings;

    use super::*;

    const SETTINGS: HarnessTrust = HarnessTrust {
        enabled: true,
        scope: TrustScope::WorkspaceRoot,
        accept_bypass_permissions: BypassPermissions::Auto,
    };

    /// Trusts `<dir>/re.po/sub` and returns the resulting config file, with `DIR` for the folder.
    fn after(before: Option<&str>) -> (Result<Trust, String>, String) {
        let dir = tempfile::tempdir().expect("made");
        let root = dir.path().to_str().expect("UTF-8").to_owned();
        let cwd = dir.path().join("re.po/sub");
        fs::create_dir_all(dir.path().join("re.po/.git")).expect("made");
        fs::create_dir_all(&cwd).expect("made");
        let here = Surroundings::of_process().with_var("HOME", dir.path()).without_var("CODEX_HOME");
        let config = dir.path().join(".codex/config.toml");
        if let Some(before) = before {
            fs::create_dir_all(dir.path().join(".codex")).expect("made");
            fs::write(&config, before.replace("DIR", &root)).expect("written");
        }
        let done = ensure(&Place::of(&here, &cwd), SETTINGS, Act::Write);
        (done, fs::read_to_string(&config).unwrap_or_default().replace(&root, "DIR"))
    }

    #[test]
    fn the_directory_and_its_repository_are_added_and_all_else_is_kept() {
        let before = "# mine\nmodel = \"x\" # so\n\n[projects.\"/else\"]\ntrust_level = 'untrusted'\n";
        let (done, text) = after(Some(before));
        done.expect("trusted");
        assert!(text.starts_with(before), "{text}");
        for dir in ["DIR/re.po", "DIR/re.po/sub"] {
            assert!(text.contains(&format!("[projects.\"{dir}\"]\ntrust_level = \"trusted\"\n")), "{text}");
        }
        assert!(!text.contains("[projects]"), "{text}");
        let (done, again) = after(Some(&text));
        done.expect("trusted");
        assert_eq!(again, text);
        let (done, text) = after(None);
        done.expect("a missing file is made");
        assert_eq!(text.matches("trusted").count(), 2);
    }

    #[test]
    fn an_answer_that_was_given_stands() {
        let before = "[projects]\n\"DIR/re.po\" = { trust_level = \"untrusted\" }\n\"DIR/re.po/sub\" = { trust_level = \"untrusted\" }\n";
        let (done, text) = after(Some(before));
        done.expect("nothing to do");
        assert_eq!(text, before);
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for before in ["[projects\n", "projects = 3\n", "[projects]\n\"DIR/re.po\" = \"x\"\n"] {
            let (done, text) = after(Some(before));
            done.expect_err("refused");
            assert_eq!(text, before);
        }
    }
}
