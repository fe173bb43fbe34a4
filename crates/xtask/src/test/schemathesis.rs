//! Runs schemathesis against the live service; see `server/tests/schemathesis.rs` for the checks.

use anyhow::Result;

use super::cargo;
use super::summary::Done;
use crate::project::Project;
use crate::python;
use crate::step::Step;

/// Pinned version: a newer one may be stricter.
const REQUIREMENT: &str = "schemathesis==4.32.5";

/// Variable with the path of the program, for the test.
const PROGRAM: &str = "THE_LOOP_SCHEMATHESIS";

/// Installs and runs it; reports a skip if it could not be installed.
pub(crate) fn tests(project: &Project) -> Result<Done> {
    let programs = match python::programs_of(project, REQUIREMENT) {
        Ok(programs) => programs,
        Err(error) => return Ok(Done::Skipped(format!("{error:#}"))),
    };
    let mut command = cargo::of_the_product(project);
    command
        .args(["--test", "surfaces", "--", "--ignored", "--nocapture", "schemathesis"])
        .env(PROGRAM, programs.join("st"));
    let mut totals = Vec::new();
    let outcome = Step::new("schemathesis", command).limit(600).run_with(|line| {
        if line.starts_with("=====") && line.contains(" in ") {
            totals.push(line.trim_matches(|c| c == '=' || c == ' ').to_owned());
        }
    })?;
    Ok(Done::Ran(outcome.success(), totals))
}
