//! Trust of a working directory, written where a harness looks for it: the parts that the harnesses share.
//!
//! These files belong to another program. They are merged, never replaced, under one lock per real file and under the
//! program's own lock where it has one. Nothing is written if nothing is missing, and a file that does not parse is not
//! touched. A failure is reported and does not prevent a session from starting.

mod file;
mod lock;

use std::path::Path;

use config::TrustScope;
use serde_json::{Map, Value};

pub(crate) use file::edit;
pub(crate) use lock::Vendor;

/// Mode of a trust operation: write missing entries, or only check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Writes missing entries.
    Write,
    /// Only checks.
    Look,
}

/// Trust that a harness would find for a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Entry existed already.
    Given,
    /// Entry was missing, and has been written.
    Added,
    /// Entry is missing; this was only a check.
    Missing,
}

impl Trust {
    /// Combines two entries that are both needed.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Missing, _) | (_, Self::Missing) => Self::Missing,
            (Self::Added, _) | (_, Self::Added) => Self::Added,
            (Self::Given, Self::Given) => Self::Given,
        }
    }
}

/// Lists the directory or the root of its repository, by its given name and by its real path.
pub(super) fn trusted_directories(cwd: &Path, scope: TrustScope) -> Vec<String> {
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

pub(super) fn set(object: &mut Map<String, Value>, key: &str, value: Value) -> bool {
    if object.get(key) == Some(&value) {
        return false;
    }
    object.insert(key.to_owned(), value);
    true
}

/// Returns the object under a key, created if missing; `None` if the key holds another type.
pub(super) fn object<'a>(parent: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    parent.entry(key.to_owned()).or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

/// Merges into a JSON file: `change` returns whether it changed anything, or `None` for an unknown structure.
pub(super) fn merge(
    path: &Path,
    vendor: Vendor,
    act: Act,
    change: impl Fn(&mut Map<String, Value>) -> Option<bool>,
) -> Result<Trust, String> {
    edit(path, vendor, act, |text| {
        let mut root = match text {
            "" => Map::new(),
            text => serde_json::from_str(text).map_err(|error| error.to_string())?,
        };
        match change(&mut root) {
            None => Err(SHAPE.to_owned()),
            Some(false) => Ok(None),
            Some(true) => Ok(Some(serde_json::to_string_pretty(&root).unwrap_or_default())),
        }
    })
}

pub(super) const SHAPE: &str = "it has an unexpected structure and was not changed";
