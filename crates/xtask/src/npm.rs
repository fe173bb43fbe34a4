//! Packages from npm, exactly as a lock file says.

use std::path::Path;

use anyhow::{Context, Result};

use crate::project::Project;
use crate::step::{Step, say};

/// Runs `npm ci` in a folder, unless the installed packages match the lock file.
pub(crate) fn install(project: &Project, folder: &Path) -> Result<()> {
    let lock = std::fs::read(folder.join("package-lock.json"))
        .context("`package-lock.json` is missing beside `package.json`: run `npm install` there once and commit it")?;
    let stamp = folder.join("node_modules/.installed-from");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        say("npm packages: as the lock file says");
        return Ok(());
    }
    let mut command = project.program("npm");
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
    command.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    Step::new("installing npm packages", command).silent().limit(300).run()?;
    std::fs::create_dir_all(folder.join("node_modules"))?;
    std::fs::write(stamp, lock)?;
    Ok(())
}
