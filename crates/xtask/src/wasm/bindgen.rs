//! Converts the compiler's module to one that a browser can load, and generates the script that loads it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use super::shorten;
use crate::project::Project;

/// Returns the finished files, by their name inside the bundle's folder.
///
/// The result is cached in the target folder and reused for the same module.
pub(crate) fn bind(project: &Project, module: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let bytes = std::fs::read(module).with_context(|| format!("no module at `{}`", module.display()))?;
    let folder = project.target.join("xtask/bindgen");
    let kept = folder.join(format!("{:016x}", fingerprint(&bytes, &project.front.output_name)));
    if !kept.join(DONE).is_file() {
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        generate(bytes, &project.front.output_name, &kept)?;
        std::fs::write(kept.join(DONE), [])?;
    }
    let mut files = BTreeMap::new();
    collect(&kept, Path::new(""), &mut files)?;
    files.remove(Path::new(DONE));
    shorten(&mut files, &project.front.output_name)?;
    Ok(files)
}

/// Gives the imports short names, in the module and in its script.
fn shorten(files: &mut BTreeMap<PathBuf, Vec<u8>>, name: &str) -> Result<()> {
    let (module, script) = (PathBuf::from(format!("{name}_bg.wasm")), PathBuf::from(format!("{name}.js")));
    let (Some(bytes), Some(text)) = (files.get(&module), files.get(&script)) else { return Ok(()) };
    let (bytes, text) = shorten::imports(bytes, std::str::from_utf8(text)?)?;
    files.extend([(module, bytes), (script, text.into_bytes())]);
    Ok(())
}

/// Marker that is written last, so that an interrupted run does not count as finished.
const DONE: &str = ".done";

fn generate(bytes: Vec<u8>, name: &str, folder: &Path) -> Result<()> {
    Bindgen::new()
        .input_bytes(name, bytes)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .context("wasm-bindgen refused the module")
}

fn collect(folder: &Path, prefix: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = prefix.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.insert(name, std::fs::read(entry.path())?);
        }
    }
    Ok(())
}

fn fingerprint(bytes: &[u8], name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    // The lock file's version stands for the wasm-bindgen in this program.
    (bytes, name, wasm_bindgen_version()).hash(&mut hasher);
    hasher.finish()
}

/// Returns the version from the lock file, since the library does not expose it.
fn wasm_bindgen_version() -> &'static str {
    let lock = include_str!("../../../../Cargo.lock");
    lock.split_once("name = \"wasm-bindgen-cli-support\"\nversion = \"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("", |(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_the_lock_file() {
        assert!(wasm_bindgen_version().starts_with("0.2."), "{}", wasm_bindgen_version());
    }

    #[test]
    fn another_module_or_name_is_another_fingerprint() {
        let one = fingerprint(b"module", "the-loop");
        assert_eq!(one, fingerprint(b"module", "the-loop"));
        assert_ne!(one, fingerprint(b"modulf", "the-loop"));
        assert_ne!(one, fingerprint(b"module", "the-loop2"));
    }
}
