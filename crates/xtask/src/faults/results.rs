//! Results of a test run.

use std::collections::BTreeMap;

use super::promises::Promise;

/// Results of all tests that were run.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// Results by the full name of the test; true if it passed. A test of several programs must pass in all of them.
    tests: BTreeMap<String, bool>,
    /// Skipped tests with the reason, by row (`12`) or by the test's name.
    skipped: Vec<(String, String)>,
}

/// Result of one row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Names of its tests in the table.
    pub(super) tests: Vec<String>,
    pub(super) verdict: Verdict,
}

/// Verdict on a row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    /// Some tests passed, and others were skipped for these reasons.
    InPart(String),
    Skipped(String),
    Failed,
    /// No test covers it, or some of its tests were not run.
    #[default]
    Untested,
}

impl Results {
    /// Reads a line of the test runner, or of a test that writes past it. Ignores all other lines.
    pub(super) fn take(&mut self, line: &str) {
        let line = line.trim();
        if let Some((what, why)) = line.strip_prefix("SKIPPED ").and_then(|said| said.split_once(": ")) {
            let what = what.strip_prefix("row ").map_or(what, |row| row.trim_start_matches('0'));
            self.skipped.push((what.to_owned(), why.to_owned()));
        } else if let Some((name, verdict)) = line.strip_prefix("test ").and_then(|said| said.rsplit_once(" ... "))
            && !verdict.starts_with("ignored")
        {
            *self.tests.entry(name.to_owned()).or_insert(true) &= verdict == "ok";
        }
    }

    /// Returns the result of the row with that number.
    pub(super) fn row(&self, number: usize, promise: &Promise) -> Row {
        let prefix = format!("row_{number:02}_");
        let mut row = Row::default();
        let (mut failed, mut missing) = (false, false);
        if promise.tests.is_empty() {
            for (name, passed) in &self.tests {
                let name = last(name);
                if name.starts_with(&prefix) {
                    row.tests.push(name.to_owned());
                    failed |= !passed;
                }
            }
        }
        for named in promise.tests {
            let mut of_name = self.tests.iter().filter(|(name, _)| is_called(name, named)).peekable();
            missing |= of_name.peek().is_none();
            failed |= of_name.any(|(_, passed)| !passed);
            row.tests.push((*named).to_owned());
        }
        let concerns = |what: &str| match what.parse::<usize>() {
            Ok(skipped) => promise.tests.is_empty() && skipped == number,
            Err(_) => row.tests.iter().any(|test| last(test) == what),
        };
        let skipped: Vec<&str> =
            self.skipped.iter().filter(|(what, _)| concerns(what)).map(|(_, why)| why.as_str()).collect();
        let mut why = skipped.clone();
        why.dedup();
        let why = why.join("; ");
        row.verdict = match row.tests.len() {
            _ if failed => Verdict::Failed,
            0 => Verdict::Untested,
            _ if missing => Verdict::Untested,
            _ if skipped.is_empty() => Verdict::Passed,
            tests if skipped.len() < tests => Verdict::InPart(why),
            _ => Verdict::Skipped(why),
        };
        row
    }

    /// Returns the skipped tests, one line each.
    pub(super) fn skipped(&self) -> Vec<String> {
        self.skipped.iter().map(|(what, why)| format!("SKIPPED {what}: {why}")).collect()
    }
}

fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// True if a test's full name ends in these modules and this name.
fn is_called(whole: &str, name: &str) -> bool {
    whole.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERED: Promise = Promise { fault: "", outcome: "", tests: &[] };
    const NAMED: Promise = Promise { fault: "", outcome: "", tests: &["gates::who", "gates::what"] };

    #[test]
    fn a_row_is_what_its_tests_are() {
        let mut results = Results::default();
        for line in [
            "running 6 tests",
            "test crash::row_02_one ... ok",
            "test row_02_other ... ok",
            "test row_03_one ... FAILED",
            "SKIPPED row 12: no root",
            "test disk::row_12_full ... ok",
            "test disk::row_12_shared ... ok",
            "SKIPPED row 28: no systemd",
            "test row_28_unit ... ok",
            "test row_29_long ... ignored",
            "test actor_process ... ignored, a program that other tests run",
            "test something_else ... ok",
            "test result: ok. 6 passed",
        ] {
            results.take(line);
        }
        let verdicts = [2, 3, 12, 28, 29, 30].map(|row| results.row(row, &NUMBERED).verdict);
        let wanted = [
            Verdict::Passed,
            Verdict::Failed,
            Verdict::InPart("no root".to_owned()),
            Verdict::Skipped("no systemd".to_owned()),
            Verdict::Untested,
            Verdict::Untested,
        ];
        assert_eq!(verdicts, wanted);
        assert_eq!(results.skipped(), ["SKIPPED 12: no root", "SKIPPED 28: no systemd"]);
    }

    #[test]
    fn a_row_that_names_its_tests_asks_for_all_of_them() {
        let mut results = Results::default();
        results.take("test slack::gates::who ... ok");
        results.take("test otherwise_gates::what ... ok");
        assert_eq!(results.row(1, &NAMED).verdict, Verdict::Untested);
        results.take("test gates::what ... ok");
        assert_eq!(results.row(1, &NAMED).verdict, Verdict::Passed);
        results.take("SKIPPED what: no root");
        assert_eq!(results.row(1, &NAMED).verdict, Verdict::InPart("no root".to_owned()));
        results.take("test gates::what ... FAILED");
        assert_eq!(results.row(1, &NAMED).verdict, Verdict::Failed);
    }
}
