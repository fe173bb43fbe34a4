//! Graph of the files of one crate and their imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::imports::{self, Imports, ModulePath};

/// Modules of a crate with a file of their own, each with the modules that it imports.
#[derive(Debug)]
pub(super) struct Graph {
    edges: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

impl Graph {
    /// Reads a source folder.
    pub(super) fn of(sources: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        let root = if sources.join("lib.rs").is_file() { "lib.rs" } else { "main.rs" };
        collect(sources, &[], root, &mut files)?;
        Ok(Self::among(files))
    }

    fn among(mut files: BTreeMap<ModulePath, Imports>) -> Self {
        let for_tests: Vec<ModulePath> = files
            .iter()
            .flat_map(|(module, imports)| {
                imports.test_modules.iter().map(|name| [module.clone(), vec![name.clone()]].concat())
            })
            .collect();
        files.retain(|module, _| !for_tests.iter().any(|tests| module.starts_with(tests)));
        let imports = files.iter().map(|(module, imports)| {
            let below =
                files.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module)).cloned();
            let used = imports.paths.iter().filter_map(|path| resolve(&files, path));
            // A parent module belongs to the same unit.
            let others = used.chain(below).filter(|other| !module.starts_with(other));
            (module.clone(), others.collect())
        });
        Self { edges: imports.collect() }
    }

    /// Returns every group of files that import each other, directly or through others, sorted by name.
    pub(super) fn circles(&self) -> Vec<Vec<String>> {
        let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
            self.edges.keys().map(|module| (module, self.reached_from(module))).collect();
        let mut circles = BTreeSet::new();
        for (module, others) in &reached {
            let both_ways = others.iter().filter(|other| reached[**other].contains(module));
            let circle: Vec<String> = both_ways.map(|module| module.join("::")).collect();
            if !circle.is_empty() {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    /// Returns the modules that a module imports, directly or through others. The module itself is included if it is in
    /// a circle.
    fn reached_from(&self, module: &ModulePath) -> BTreeSet<&ModulePath> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&ModulePath> = self.edges[module].iter().collect();
        while let Some(module) = next.pop() {
            if reached.insert(module) {
                next.extend(&self.edges[module]);
            }
        }
        reached
    }
}

/// Resolves a path to a module, through re-exports.
fn resolve(files: &BTreeMap<ModulePath, Imports>, path: &[String]) -> Option<ModulePath> {
    let mut path = path.to_vec();
    // A name may be re-exported several times.
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|&length| files.contains_key(&path[..length]))?;
        let module = path[..length].to_vec();
        let Some(name) = path.get(length) else { return Some(module) };
        let handed_on = files[&module].names.iter().find(|(known, target)| known == name && *target != path);
        match handed_on {
            Some((_, target)) if files.contains_key(&target[..target.len() - 1]) => path.clone_from(target),
            _ => return Some(module),
        }
    }
    None
}

/// Collects the files below a folder by their module paths.
fn collect(dir: &Path, module: &[String], root: &str, files: &mut BTreeMap<ModulePath, Imports>) -> Result<()> {
    for entry in fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let (path, name) = {
            let entry = entry?;
            (entry.path(), entry.file_name().to_string_lossy().into_owned())
        };
        if path.is_dir() {
            // Programs beside the library are separate crates.
            if module.is_empty() && name == "bin" {
                continue;
            }
            collect(&path, &[module, &[name]].concat(), root, files)?;
            continue;
        }
        let Some(stem) = name.strip_suffix(".rs") else { continue };
        let own = match stem {
            _ if module.is_empty() && name == root => Vec::new(),
            "main" if module.is_empty() => continue,
            "mod" => module.to_vec(),
            stem => [module, &[stem.to_owned()]].concat(),
        };
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let imports = imports::read(&text, &own).with_context(|| path.display().to_string())?;
        files.insert(own, imports);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let module =
            |path: &str| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect::<ModulePath>();
        let read = |(path, text): &(&str, &str)| (module(path), imports::read(text, &module(path)).expect("parsed"));
        Graph::among(files.iter().map(read).collect()).circles().iter().map(|circle| circle.join(" ")).collect()
    }

    #[test]
    fn a_circle_is_found_also_through_a_module_below_and_a_name_that_is_handed_on() {
        assert_eq!(circles(&[("", ""), ("a", "use crate::b;"), ("b", "use crate::a::X;")]), ["a b"]);
        assert_eq!(circles(&[("", ""), ("a", ""), ("a::x", "use crate::b;"), ("b", "use crate::a::X;")]), ["a a::x b"]);
        assert_eq!(circles(&[("", "pub use b::Y;"), ("a", "use crate::Y;"), ("b", "use crate::a::X;")]), ["a b"]);
    }

    #[test]
    fn a_module_and_those_below_it_may_import_each_other() {
        let none: [String; 0] = [];
        assert_eq!(circles(&[("", "use a::X;"), ("a", "use x::Y;"), ("a::x", "use super::Z; use crate::a::W;")]), none);
        assert_eq!(
            circles(&[("", ""), ("a", "use crate::b;"), ("b", "#[cfg(test)] mod tests { use crate::a; }")]),
            none
        );
    }
}
