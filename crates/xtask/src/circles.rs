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

/// Fails if files of a crate import each other in a circle.
pub(crate) fn check(project: &Project) -> Result<()> {
    let mut found = Vec::new();
    for sources in crates(&project.root)? {
        let place = sources.strip_prefix(&project.root).unwrap_or(&sources).display().to_string();
        let circles = Graph::of(&sources)?.circles().into_iter();
        found.extend(circles.map(|circle| format!("{place}: {}", circle.join(", "))));
    }
    if found.is_empty() {
        return Ok(());
    }
    bail!("files import each other in a circle: move what both need below them\n{}", found.join("\n"))
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
