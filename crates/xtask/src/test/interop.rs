//! Third-party programs against the live service; see `server/tests/interop.rs`. They are not part of the repository:
//! they are installed below the target folder.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::cargo;
use super::summary::Done;
use crate::project::Project;
use crate::step::{Step, say};
use crate::{on_path, python};

/// The original, whose command line calls the service that its config names.
const ORIGINAL: &str = "the-loopy-one==11.2.0";

/// Official inspector of MCP servers.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";

/// Installs both and runs their tests; reports a skip if they could not be installed.
pub(crate) fn tests(project: &Project) -> Result<Done> {
    let installed = python::programs_of(project, ORIGINAL).and_then(|original| Ok((original, inspector(project)?)));
    let (original, inspector) = match installed {
        Ok(installed) => installed,
        Err(error) => return Ok(Done::Skipped(format!("{error:#}"))),
    };
    let mut command = cargo::of_the_product(project);
    command.args(["--test", "surfaces", "--", "--ignored", "--nocapture", "--test-threads=1", "interop"]);
    command.env("THE_LOOP_ORIGINAL", original.join("the-loop")).env("THE_LOOP_MCP_INSPECTOR", inspector);
    let mut totals = Vec::new();
    let outcome = Step::new("interoperability", command).limit(600).run_with(|line| {
        if line.starts_with("test result: ") {
            totals.push(line.to_owned());
        }
    })?;
    Ok(Done::Ran(outcome.success(), totals))
}

fn inspector(project: &Project) -> Result<PathBuf> {
    on_path::find(&["npm"]).context("the MCP inspector needs Node.js with npm, and npm is not on PATH")?;
    let folder = project.target.join("xtask/npm/inspector");
    let program = folder.join("node_modules/.bin/mcp-inspector");
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == INSPECTOR) {
        say(format_args!("{INSPECTOR}: installed already"));
        return Ok(program);
    }
    std::fs::create_dir_all(&folder)?;
    let mut command = project.program("npm");
    command.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg(INSPECTOR);
    Step::new(format!("installing {INSPECTOR}"), command).silent().limit(300).run()?;
    std::fs::write(&stamp, INSPECTOR)?;
    Ok(program)
}
