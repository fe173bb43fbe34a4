//! A Chromium for the browser tests.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::step::say;
use crate::{apt, on_path};

/// Variable that overrides the search.
pub(crate) const PATH: &str = "CHROMIUM_PATH";

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// Finds a Chromium, or installs Debian's.
pub(crate) fn find_or_install() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(PATH).map(PathBuf::from) {
        if !on_path::executable(&named) {
            bail!("`{PATH}` names `{}`, which is not a program", named.display());
        }
        return Ok(named);
    }
    if let Some(found) = find() {
        say(format_args!("Chromium: {}", found.display()));
        return Ok(found);
    }
    apt::install("Chromium", &["chromium", "fonts-dejavu-core"])
        .with_context(|| format!("no Chromium on PATH; one elsewhere can be named in `{PATH}`"))?;
    find().context("Chromium was installed, but is not on PATH")
}

fn find() -> Option<PathBuf> {
    on_path::find(&NAMES).or_else(|| Some(PathBuf::from(MAC)).filter(|file| on_path::executable(file)))
}
