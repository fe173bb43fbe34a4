//! Lists the web assets for `src/assets.rs`, which embeds them, and tells `src/lib.rs` which commit this is.
//!
//! `cargo xtask build` fills the site folder. Without it the list is empty and the server builds anyway. Its page then
//! works without WebAssembly.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> io::Result<()> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo tells a build script its package"));
    let root = package.parent().expect("the package lies in the workspace");
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let site = root.join(setting(&manifest, "site-root"));
    // A folder that is not there would count as changed at every build.
    fs::create_dir_all(&site)?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    println!("cargo::rerun-if-changed={}", site.display());

    let mut files = BTreeMap::new();
    collect(&site, "", &mut files)?;
    let list = list(&files, setting(&manifest, "site-pkg-dir"))?;
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo tells a build script where to write"));
    fs::write(out.join("assets.rs"), list)?;
    let version = env::var("CARGO_PKG_VERSION").expect("cargo tells a build script its version");
    let commit = commit(root).map(|commit| format!(" ({commit})")).unwrap_or_default();
    println!("cargo::rustc-env=THE_LOOP_VERSION={version}{commit}");
    Ok(())
}

/// The commit: what `THE_LOOP_COMMIT` says, else what git says; `None` without either, as in an unpacked archive.
fn commit(root: &Path) -> Option<String> {
    println!("cargo::rerun-if-env-changed=THE_LOOP_COMMIT");
    if let Ok(told) = env::var("THE_LOOP_COMMIT") {
        return Some(told).filter(|commit| !commit.is_empty());
    }
    // A repository around an unpacked archive is another project's.
    if fs::canonicalize(git(root, &["--show-toplevel"])?).ok()? != fs::canonicalize(root).ok()? {
        return None;
    }
    let head = git(root, &["--symbolic-full-name", "HEAD"])?;
    for name in ["HEAD", head.as_str(), "packed-refs"] {
        let path = root.join(git(root, &["--git-path", name])?);
        // What is not there would count as changed at every build.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(root, &["--short=12", "HEAD"])
}

fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).arg("rev-parse").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The value of a key of `[[workspace.metadata.leptos]]`, where names and folders live once.
fn setting<'a>(manifest: &'a str, key: &str) -> &'a str {
    let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
    line.map_or_else(|| panic!("the root manifest has no `{key}`"), |value| value.trim().trim_matches('"'))
}

/// Every file by its path in the site, with `/` between the parts.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, entry.path());
        }
    }
    Ok(())
}

/// The list as source text: each plain file with its squeezed forms, and what the bundle as a whole is called.
fn list(files: &BTreeMap<String, PathBuf>, bundle: &str) -> io::Result<String> {
    let mut assets = String::new();
    let mut whole = DefaultHasher::new();
    for (name, path) in files {
        let squeezed = name.strip_suffix(".br").or_else(|| name.strip_suffix(".gz"));
        if squeezed.is_some_and(|plain| files.contains_key(plain)) || name.ends_with(".d.ts") {
            continue;
        }
        let bytes = fs::read(path)?;
        if name.strip_prefix(bundle).is_some_and(|rest| rest.starts_with('/')) {
            (name, &bytes).hash(&mut whole);
        }
        let form = |ending: &str| match files.get(&format!("{name}.{ending}")) {
            Some(path) => format!("Some({})", embed(path)),
            None => "None".to_owned(),
        };
        let (hash, plain, br, gzip) = (hash(&bytes), embed(path), form("br"), form("gz"));
        writeln!(
            assets,
            "    Asset {{ path: {name:?}, hash: \"{hash:016x}\", plain: {plain}, br: {br}, gzip: {gzip} }},"
        )
        .expect("a string takes everything");
    }
    let version = whole.finish();
    Ok(format!(
        "const FOLDER: &str = {bundle:?};\nconst VERSIONED: &str = \"{bundle}/{version:016x}\";\n\
         static ASSETS: &[Asset] = &[\n{assets}];\n"
    ))
}

fn embed(path: &Path) -> String {
    format!("include_bytes!({:?})", path.to_string_lossy())
}

/// Hashes a file. The value must be the same on every machine, so the keys of the hasher are fixed.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
