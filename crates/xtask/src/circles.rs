//! Import circles: files of one crate that import each other, directly or through others.
//!
//! A module and those below it are one thing in several files, so an import of a module above does not count. Read are
//! the paths that begin with `crate`, `self` or `super`, wherever they stand, and the `mod` lines; code for tests alone
//! is left out.

mod graph;
mod imports;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::Project;
use graph::Graph;

/// Fails when a crate of the workspace has a circle, and shows each.
pub(crate) fn check(project: &Project) -> Result<()> {
    let mut found = Vec::new();
    for sources in crates(&project.root)? {
        let graph = Graph::of(&sources)?;
        let place = sources.strip_prefix(&project.root).unwrap_or(&sources).display();
        found.extend(graph.circles().into_iter().map(|circle| format!("{place}: {}", circle.join(" -> "))));
    }
    if found.is_empty() {
        return Ok(());
    }
    bail!("files import each other in a circle: move what both need below them\n{}", found.join("\n"))
}

/// The source folders of the workspace's crates.
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
