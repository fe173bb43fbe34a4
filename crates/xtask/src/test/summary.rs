//! Results of all stages, for the last lines of the run.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::step::{say, seconds};

/// Result of a stage that ran without an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Done {
    /// Success.
    Passed,
    /// The runner's own summary; true means success.
    Ran(bool, Vec<String>),
    /// Not run, with the reason. Not a pass.
    Skipped(String),
}

/// All stages so far.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    stages: Vec<(String, Duration, Result<Done, String>)>,
}

impl Summary {
    /// Runs one stage and stores its result.
    pub(crate) fn stage(&mut self, name: &str, run: impl FnOnce() -> Result<Done>) {
        let started = Instant::now();
        let done = run().map_err(|error| format!("{error:#}"));
        match &done {
            Err(error) => say(format_args!("{name}: {error}")),
            Ok(Done::Skipped(why)) => say(format_args!("{name}: SKIPPED: {why}")),
            Ok(_) => {}
        }
        self.stages.push((name.to_owned(), started.elapsed(), done));
    }

    /// Prints every stage, the runners' totals last; fails if a stage failed.
    pub(crate) fn print(&self) -> Result<()> {
        println!();
        for (name, took, done) in &self.stages {
            println!("{name:<22} {:>9}  {}", seconds(*took), verdict(done));
        }
        for (name, _, done) in &self.stages {
            if let Ok(Done::Ran(_, totals)) = done {
                for total in totals {
                    println!("{name}: {total}");
                }
            }
        }
        let failed: Vec<&str> =
            self.stages.iter().filter(|(_, _, done)| failed(done)).map(|(name, ..)| name.as_str()).collect();
        if failed.is_empty() {
            return Ok(());
        }
        bail!("failed: {}", failed.join(", "))
    }
}

fn failed(done: &Result<Done, String>) -> bool {
    matches!(done, Err(_) | Ok(Done::Ran(false, _)))
}

fn verdict(done: &Result<Done, String>) -> String {
    match done {
        Ok(Done::Passed | Done::Ran(true, _)) => "ok".to_owned(),
        Ok(Done::Skipped(why)) => format!("SKIPPED: {why}"),
        Ok(Done::Ran(false, _)) | Err(_) => "FAILED".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn one_failed_stage_fails_the_run_and_is_named() {
        let mut summary = Summary::default();
        summary.stage("first", || Ok(Done::Passed));
        summary.stage("second", || Err(anyhow!("broken")));
        summary.stage("third", || Ok(Done::Ran(false, vec!["1 failed".to_owned()])));
        let error = summary.print().expect_err("two failed").to_string();
        assert_eq!(error, "failed: second, third");
    }

    #[test]
    fn a_skipped_stage_is_said_and_does_not_fail() {
        let mut summary = Summary::default();
        summary.stage("browser", || Ok(Done::Skipped("no tests yet".to_owned())));
        summary.print().expect("nothing failed");
        assert_eq!(verdict(&summary.stages[0].2), "SKIPPED: no tests yet");
    }
}
