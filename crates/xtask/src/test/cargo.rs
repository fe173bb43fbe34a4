//! Unit, integration and documentation tests.

use std::process::Command;

use anyhow::Result;

use super::summary::Done;
use crate::project::Project;
use crate::step::Step;

/// Variable that enables the tests with the real agents.
pub(crate) const AGENTS: &str = "THE_LOOP_TEST_AGENTS";

/// Builds all tests, and with them the binary that the browser tests start.
pub(crate) fn build(project: &Project) -> Result<()> {
    let mut command = of_the_product(project);
    command.arg("--no-run");
    Step::new("building the server and the tests", command).run()
}

/// Runs all tests, even if some fail.
pub(crate) fn tests(project: &Project, filter: Option<&str>, agents: bool) -> Result<Done> {
    let mut totals = Totals::default();
    let mut success = true;
    let product = ("tests of the product", of_the_product(project));
    let own = ("tests of the build", of_the_build(project));
    for (what, mut command) in [product, own] {
        command.arg("--no-fail-fast").args(filter);
        if agents {
            command.env(AGENTS, "1");
        }
        success &= Step::new(what, command).run_with(|line| totals.take(line))?.success();
    }
    Ok(Done::Ran(success, vec![totals.to_string()]))
}

/// Returns the tests of all packages except two: the front end, which would enable the browser's features of `app` for
/// all others, and this program.
pub(super) fn of_the_product(project: &Project) -> Command {
    let mut command = project.cargo();
    command.args(["test", "--workspace", "--exclude", &project.front.lib_package, "--exclude", OWN]);
    command
}

/// Returns the tests of this program. They run apart from the others, because its dependencies would otherwise get
/// other features and be rebuilt.
fn of_the_build(project: &Project) -> Command {
    let mut command = project.cargo();
    command.args(["test", "--package", OWN]);
    command
}

const OWN: &str = env!("CARGO_PKG_NAME");

/// Sum of the results of all test binaries.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    binaries: u32,
    passed: u32,
    failed: u32,
    ignored: u32,
}

impl Totals {
    /// Reads `test result: ok. 12 passed; 0 failed; 1 ignored; ...`, and ignores every other line.
    fn take(&mut self, line: &str) {
        let Some(counts) = line.trim().strip_prefix("test result: ") else { return };
        self.binaries += 1;
        for part in counts.split([';', '.']) {
            let Some((number, what)) = part.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse::<u32>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verdict = if self.failed == 0 { "ok" } else { "FAILED" };
        let Self { binaries, passed, failed, ignored } = self;
        write!(
            f,
            "test result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; {binaries} test binaries"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_summed_over_all_binaries() {
        let mut totals = Totals::default();
        for line in [
            "running 3 tests",
            "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: FAILED. 10 passed; 3 failed; 0 ignored; 0 measured; 5 filtered out; finished in 1.20s",
            "test result: nonsense",
        ] {
            totals.take(line);
        }
        assert_eq!(totals, Totals { binaries: 3, passed: 12, failed: 3, ignored: 1 });
        assert_eq!(totals.to_string(), "test result: FAILED. 12 passed; 3 failed; 1 ignored; 3 test binaries");
    }
}
