//! Table of the faults, as Markdown.

use std::fmt::Write as _;

use super::promises::{PARTS, Promise};
use super::results::{Results, Row, Verdict};

/// Returns the content of `docs/faults.md` after a run.
pub(super) fn write(results: &Results, surroundings: &str) -> String {
    let mut text = format!(
        "# Faults\n\n\
        What can go wrong, what is promised for it, and the test that brings it about. `cargo xtask faults` runs the \
        tests and writes this file; `--long` runs them for as long as their rows ask for (200 rounds, 1000 messages, \
        5 minutes). A test is found by its name: in the first part the number of its row comes first, in the others \
        the module that it stands in. A skipped row is not a passed one.\n\n\
        Beside the rows stands a model test, `model_…` in `crates/standing/tests/faults/model.rs`: verbs of three \
        processes and faults in any order, 200 cases in a test run, more with `THE_LOOP_MODEL_CASES=5000`. The page's \
        side of the security rows is gone through in a real Chromium as well: `inert.spec.ts` and `bundle.spec.ts` in \
        `end2end/tests`.\n\n\
        The last run, on {surroundings}: {}\n",
        summary(results),
    );
    for part in &PARTS {
        let _ = writeln!(
            text,
            "\n## {}\n\n| # | fault | what is promised | tests | result |\n|---|---|---|---|---|",
            part.title
        );
        for (number, promise) in (1..).zip(part.promises) {
            let row = results.row(number, promise);
            let _ = writeln!(text, "{} {} |", line(part.letter, number, promise, &row), said(&row.verdict));
        }
    }
    text
}

/// Returns a row's line up to its result.
fn line(letter: &str, number: usize, promise: &Promise, row: &Row) -> String {
    let tests: Vec<String> = row.tests.iter().map(|test| format!("`{test}`")).collect();
    format!("| {letter}{number} | {} | {} | {} |", promise.fault, promise.outcome, tests.join("<br>"))
}

/// Returns the rows of a table without their results.
#[cfg(test)]
pub(super) fn promised(table: &str) -> Vec<&str> {
    let rows = table.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(|line| Some(line.trim_end_matches([' ', '|']).rsplit_once(" | ")?.0)).collect()
}

/// Returns the rows that have no tests, or some that were not run.
pub(super) fn untested(results: &Results) -> Vec<String> {
    let rows = |part: &super::promises::Part| {
        let untested = (1..)
            .zip(part.promises)
            .filter(|(number, promise)| results.row(*number, promise).verdict == Verdict::Untested);
        untested.map(|(number, promise)| format!("row {}{number} ({})", part.letter, promise.fault)).collect::<Vec<_>>()
    };
    PARTS.iter().flat_map(rows).collect()
}

/// Returns the number of rows for each verdict.
pub(super) fn summary(results: &Results) -> String {
    let all = PARTS.iter().flat_map(|part| (1..).zip(part.promises));
    let verdicts: Vec<Verdict> = all.map(|(number, promise)| results.row(number, promise).verdict).collect();
    let count = |is: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| is(verdict)).count();
    format!(
        "{} rows, {} passed, {} passed in part, {} skipped, {} without a test, {} failed.",
        verdicts.len(),
        count(|verdict| matches!(verdict, Verdict::Passed)),
        count(|verdict| matches!(verdict, Verdict::InPart(_))),
        count(|verdict| matches!(verdict, Verdict::Skipped(_))),
        count(|verdict| matches!(verdict, Verdict::Untested)),
        count(|verdict| matches!(verdict, Verdict::Failed)),
    )
}

fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => "passed".to_owned(),
        Verdict::InPart(why) => format!("passed in part; skipped: {why}"),
        Verdict::Skipped(why) => format!("skipped: {why}"),
        Verdict::Failed => "FAILED".to_owned(),
        Verdict::Untested => "no test".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_there_with_what_was_said_of_it() {
        let mut results = Results::default();
        results.take("test row_01_one ... ok");
        results.take("SKIPPED row 28: no systemd");
        results.take("test row_28_unit ... ok");
        let table = write(&results, "tmux 3.3a");
        assert!(table.contains("| `row_01_one` | passed |"), "{table}");
        assert!(table.contains("| `row_28_unit` | skipped: no systemd |"), "{table}");
        let all: usize = PARTS.iter().map(|part| part.promises.len()).sum();
        let counts = format!("tmux 3.3a: {all} rows, 1 passed, 0 passed in part, 1 skipped, {} without", all - 2);
        assert!(table.contains(&counts), "{table}");
        assert_eq!(promised(&table).len(), all + PARTS.len());
        assert_eq!(untested(&results).len(), all - 2);
    }
}
