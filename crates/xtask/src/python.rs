//! A Python program in its own virtual environment, below the target folder.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project::Project;
use crate::step::{Step, say};

/// Installs one requirement, such as `schemathesis==4.32.5`, unless it is installed already. Returns the folder of its
/// programs.
pub(crate) fn programs_of(project: &Project, requirement: &str) -> Result<PathBuf> {
    let name = requirement.split('=').next().unwrap_or(requirement);
    let folder = project.target.join("xtask/python").join(name);
    let programs = folder.join("bin");
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == requirement) {
        say(format_args!("{requirement}: installed already"));
        return Ok(programs);
    }
    let mut command = project.program("python3");
    command.args(["-m", "venv", "--clear"]).arg(&folder);
    Step::new("Python environment", command).silent().limit(120).run().context(
        "an environment for Python programs could not be made: it needs python3 with venv (`apt-get install python3-venv`)",
    )?;
    let mut command = project.program(programs.join("python"));
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]);
    Step::new(format!("installing {requirement}"), command).silent().limit(300).run()?;
    std::fs::write(&stamp, requirement)?;
    Ok(programs)
}
