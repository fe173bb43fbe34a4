//! Debian packages. Only root may install them without confirmation.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::on_path;
use crate::step::Step;

/// Installs packages as root on Debian or a derivative; otherwise prints the command for it.
pub(crate) fn install(purpose: &str, packages: &[&str]) -> Result<()> {
    let list = packages.join(" ");
    if !Path::new("/etc/debian_version").exists() || on_path::find(&["apt-get"]).is_none() {
        bail!("{purpose} is missing, and only Debian's packages can be installed from here: install it by hand");
    }
    if !nix::unistd::geteuid().is_root() {
        bail!("{purpose} is missing: run `sudo apt-get install --no-install-recommends {list}`, then this again");
    }
    let fresh = if lists_present() {
        false
    } else {
        update()?;
        true
    };
    let step = |command| Step::new(format!("installing {purpose} ({list})"), command).silent().limit(900);
    let first = step(install_command(packages)).run();
    if first.is_ok() || fresh {
        return first;
    }
    // Old lists name versions that the archive no longer has.
    update()?;
    step(install_command(packages)).run().with_context(|| format!("{purpose} could not be installed"))
}

fn lists_present() -> bool {
    std::fs::read_dir("/var/lib/apt/lists")
        .is_ok_and(|lists| lists.flatten().any(|list| list.file_name().to_string_lossy().contains("_Packages")))
}

fn update() -> Result<()> {
    let mut command = apt_get();
    command.arg("update");
    Step::new("fetching Debian's package lists", command).silent().limit(180).run()
}

fn install_command(packages: &[&str]) -> Command {
    let mut command = apt_get();
    command.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    command
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").args(["-o", "DPkg::Lock::Timeout=300"]);
    command
}
