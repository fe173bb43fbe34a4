//! Names and folders of this workspace, read with `cargo metadata`.
//!
//! They are defined once, in `[[workspace.metadata.leptos]]`, where cargo-leptos reads them as well.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// Parts of the workspace that the build needs.
#[derive(Debug)]
pub(crate) struct Project {
    /// Folder of the root manifest.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the environment puts it.
    pub(crate) target: PathBuf,
    /// Oldest compiler that the workspace accepts, such as `1.95`.
    pub(crate) rust_version: String,
    /// Names and folders of the front end.
    pub(crate) front: Front,
    cargo: OsString,
}

/// Names and folders of the front end; keys as defined by cargo-leptos.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Front {
    /// Package of the server.
    pub(crate) bin_package: String,
    /// Binary of the server.
    pub(crate) bin_target: String,
    /// Package that is compiled to WASM.
    pub(crate) lib_package: String,
    /// Profile of the WASM half.
    pub(crate) lib_profile_release: String,
    /// Name of the bundle's files, without their extensions.
    pub(crate) output_name: String,
    /// Folder of all files that the server embeds; relative to the root.
    pub(crate) site_root: PathBuf,
    /// Folder of the bundle inside `site_root`.
    pub(crate) site_pkg_dir: PathBuf,
    /// Style sheet that imports the others.
    pub(crate) style_file: PathBuf,
    /// Folder of files that are shipped unchanged.
    pub(crate) assets_dir: PathBuf,
    /// Default address of the service.
    pub(crate) site_addr: String,
    /// Command of the browser tests, in `end2end_dir`.
    pub(crate) end2end_cmd: String,
    /// Folder of the browser tests.
    pub(crate) end2end_dir: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    packages: Vec<Package>,
    #[serde(rename = "metadata")]
    extra: Option<Extra>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    rust_version: Option<String>,
}

#[derive(Deserialize)]
struct Extra {
    #[serde(default)]
    leptos: Vec<Front>,
}

impl Project {
    /// Reads the workspace that this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(&cargo)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .context("`cargo metadata` did not start")?;
        if !output.status.success() {
            bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Self::parse(&output.stdout, cargo)
    }

    fn parse(json: &[u8], cargo: OsString) -> Result<Self> {
        let metadata: Metadata = serde_json::from_slice(json).context("`cargo metadata` gave something unexpected")?;
        let mut fronts = metadata.extra.map(|extra| extra.leptos).unwrap_or_default();
        let (Some(front), true) = (fronts.pop(), fronts.is_empty()) else {
            bail!("`Cargo.toml` needs exactly one `[[workspace.metadata.leptos]]`");
        };
        let rust_version = metadata
            .packages
            .iter()
            .find(|package| package.name == front.lib_package)
            .with_context(|| format!("`lib-package` names `{}`, which is not in the workspace", front.lib_package))?
            .rust_version
            .clone()
            .unwrap_or_default();
        Ok(Self { root: metadata.workspace_root, target: metadata.target_directory, rust_version, front, cargo })
    }

    /// Returns the cargo that runs this program, started in the root.
    pub(crate) fn cargo(&self) -> Command {
        self.program(&self.cargo)
    }

    /// Returns a command for any program, started in the root, without the variables that `cargo run` sets. A build
    /// script that watches such a variable would otherwise run again whenever builds with and without this program
    /// alternate.
    pub(crate) fn program(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(&self.root);
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            let ours = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
            if name == "CARGO" || ours.iter().any(|prefix| name.starts_with(prefix)) {
                command.env_remove(&key);
            }
        }
        command
    }

    /// Returns the folder that the server embeds.
    pub(crate) fn site(&self) -> PathBuf {
        self.root.join(&self.front.site_root)
    }

    /// Returns the product's binary for a profile.
    pub(crate) fn binary(&self, release: bool) -> PathBuf {
        self.target.join(if release { "release" } else { "debug" }).join(&self.front.bin_target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEPTOS: &str = r#"{"name":"x","bin-package":"server","bin-target":"the-loop","lib-package":"frontend",
        "lib-profile-release":"wasm","output-name":"the-loop","site-root":"target/site","site-pkg-dir":"pkg",
        "style-file":"style/main.css","assets-dir":"public","site-addr":"127.0.0.1:4114","end2end-cmd":"npm test",
        "end2end-dir":"end2end"}"#;

    fn parse(fronts: &str, package: &str) -> Result<Project> {
        let json = format!(
            r#"{{"workspace_root":"/w","target_directory":"/t","metadata":{{"leptos":[{fronts}]}},
                "packages":[{{"name":"{package}","rust_version":"1.95"}}]}}"#
        );
        Project::parse(json.as_bytes(), "cargo".into())
    }

    #[test]
    fn names_and_folders_come_from_the_manifest() {
        let project = parse(LEPTOS, "frontend").expect("complete metadata");
        assert_eq!(project.site(), PathBuf::from("/w/target/site"));
        assert_eq!(project.binary(false), PathBuf::from("/t/debug/the-loop"));
        assert_eq!(project.binary(true), PathBuf::from("/t/release/the-loop"));
        assert_eq!(project.rust_version, "1.95");
        assert_eq!(project.front.lib_profile_release, "wasm");
    }

    #[test]
    fn a_manifest_with_no_front_end_or_two_is_refused() {
        for fronts in [String::new(), format!("{LEPTOS},{LEPTOS}")] {
            let error = parse(&fronts, "frontend").expect_err("not exactly one");
            assert!(error.to_string().contains("exactly one"), "{error}");
        }
    }

    #[test]
    fn a_front_end_package_that_does_not_exist_is_refused() {
        let error = parse(LEPTOS, "elsewhere").expect_err("no such package");
        assert!(error.to_string().contains("`frontend`"), "{error}");
    }

    #[test]
    fn this_workspace_can_be_read() {
        let project = Project::find().expect("the workspace of this test");
        assert_eq!(project.front.bin_target, "the-loop");
        assert!(project.root.join("Cargo.toml").is_file());
    }
}
