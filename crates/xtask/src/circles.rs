//! Import circles: files of one crate that import each other, directly or through others.
//!
//! A module and its submodules are one unit in several files, so an import of a parent module does not count. All paths
//! that start with `crate`, `self` or `super` are read, wherever they occur, and the `mod` lines. Code for tests only
//! is ignored.

mod graph;
mod imports;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::Project;
use graph::Graph;

/// Remaining circles: a crate's source folder, and the files. The list may only become shorter.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "app/src",
        &[
            "notices",
            "query",
            "serverfns",
            "serverfns::answer",
            "serverfns::create",
            "serverfns::delete",
            "serverfns::reply",
            "serverfns::restart",
            "serverfns::say",
            "serverfns::start",
            "serverfns::stop",
            "serverfns::theme",
            "serverfns::messages",
        ],
    ),
    ("app/src", &["islands::browser::live", "islands::browser::page"]),
    ("app/src", &["islands::browser::name", "islands::name_hint"]),
    ("app/src", &["screens::card", "screens::menu", "screens::notice", "screens::say_box"]),
];

/// Fails if a crate of the workspace has an unknown circle, or a known one is gone.
pub(crate) fn check(project: &Project) -> Result<()> {
    let mut found = Vec::new();
    for sources in crates(&project.root)? {
        let place = sources.strip_prefix(&project.root).unwrap_or(&sources).display().to_string();
        found.extend(Graph::of(&sources)?.circles().into_iter().map(|circle| (place.clone(), circle)));
    }
    let is_known = |(place, circle): &&(String, Vec<String>)| {
        KNOWN.iter().any(|(known, files)| known == place && circle.iter().all(|file| files.contains(&file.as_str())))
    };
    let new: Vec<String> = found
        .iter()
        .filter(|circle| !is_known(circle))
        .map(|(place, circle)| format!("{place}: {}", circle.join(", ")))
        .collect();
    if !new.is_empty() {
        bail!("files import each other in a circle: move what both need below them\n{}", new.join("\n"));
    }
    for (place, files) in KNOWN {
        let left = found.iter().filter(|(found, _)| found == place).flat_map(|(_, circle)| circle);
        if let Some(gone) = files.iter().find(|file| !left.clone().any(|left| left == *file)) {
            bail!(
                "`{gone}` of {place} is in no circle any more: take it out of `KNOWN` in crates/xtask/src/circles.rs"
            );
        }
    }
    Ok(())
}

/// Returns the source folders of the workspace's crates.
fn crates(root: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![root.join("app"), root.join("server")];
    let below = root.join("crates");
    for entry in fs::read_dir(&below).with_context(|| below.display().to_string())? {
        folders.push(entry?.path());
    }
    let mut sources: Vec<PathBuf> = folders.into_iter().map(|folder| folder.join("src")).collect();
    sources.retain(|folder| folder.join("lib.rs").is_file() || folder.join("main.rs").is_file());
    sources.sort();
    Ok(sources)
}
