//! Browser tests, in a real Chromium, against the built binary.

use anyhow::{Context, Result};

use super::summary::Done;
use crate::project::Project;
use crate::step::Step;
use crate::{chromium, npm, on_path};

/// Variable with the binary that the browser tests start.
const BINARY: &str = "THE_LOOP_BIN";

/// Installs the tests' dependencies, finds a Chromium, and runs the tests.
pub(crate) fn tests(project: &Project, filter: Option<&str>) -> Result<Done> {
    let folder = project.root.join(&project.front.end2end_dir);
    if !folder.join("package.json").is_file() {
        return Ok(Done::Skipped(format!("no `{}/package.json`", project.front.end2end_dir.display())));
    }
    on_path::find(&["npm"]).context("the browser tests need Node.js 20 or newer with npm, and npm is not on PATH")?;
    npm::install(project, &folder)?;
    let chromium = chromium::find_or_install()?;

    let mut words = project.front.end2end_cmd.split_whitespace();
    let mut command = project.program(words.next().context("`end2end-cmd` is empty")?);
    command.args(words).current_dir(&folder).env(chromium::PATH, chromium).env(BINARY, project.binary(false));
    if let Some(filter) = filter {
        command.args(["--", "--pass-with-no-tests", "--grep", filter]);
    }
    let mut totals = Vec::new();
    let outcome = Step::new("browser tests", command).limit(1800).run_with(|line| {
        if let Some(total) = total(line) {
            totals.push(total);
        }
    })?;
    Ok(Done::Ran(outcome.success(), totals))
}

/// Recognises Playwright's own summary: `12 passed (8.1s)`, `1 failed`, `2 flaky`, `3 skipped`.
fn total(line: &str) -> Option<String> {
    let line = plain(line);
    let (number, rest) = line.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let word = rest.split(' ').next()?;
    let known = ["passed", "failed", "flaky", "skipped", "interrupted"].contains(&word);
    (known && (rest == word || rest.starts_with(&format!("{word} (")))).then_some(line)
}

/// Removes colours from the text.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        text.push_str(before);
        rest = after.split_once(|letter: char| letter.is_ascii_alphabetic()).map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playwrights_totals_are_known_from_other_lines() {
        assert_eq!(total("  12 passed (8.1s)").as_deref(), Some("12 passed (8.1s)"));
        assert_eq!(total("\u{1b}[31m  1 failed\u{1b}[39m").as_deref(), Some("1 failed"));
        for line in ["Running 12 tests using 1 worker", "  2 passed over", "passed", "x failed", ""] {
            assert_eq!(total(line), None, "{line}");
        }
    }
}
