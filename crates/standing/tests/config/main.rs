//! The config file as users write it.

mod broken;
mod defaults;
mod documentation;
mod keys;
mod mistakes;
mod place;
mod strange;

use std::{fs, path::PathBuf};

use standing::{
    Surroundings,
    config::{self, Loaded, Settings},
};
use tempfile::TempDir;

/// A project with a config of its own.
struct Project {
    dir: TempDir,
    surroundings: Surroundings,
}

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let surroundings = Surroundings::of_process()
            .in_dir(dir.path())
            .with_var("HOME", dir.path().join("home"))
            .without_var("THE_LOOP_CLI_CONFIG");
        fs::create_dir_all(dir.path().join(".the-loop")).expect("a folder");
        Self { dir, surroundings }
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let project = Self::new();
        fs::write(project.file(), text).expect("written");
        project
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join(".the-loop/cli-config.yaml")
    }

    fn load(&self) -> Loaded {
        config::load(config::locate(None, &self.surroundings), &self.surroundings)
    }

    fn defaults(&self) -> Settings {
        Settings::defaults(self.dir.path(), &self.surroundings)
    }
}

/// The problems of a text as `line:column key: message`.
fn problems(text: impl AsRef<[u8]>) -> Vec<String> {
    let loaded = Project::with(text).load();
    assert_eq!(loaded.standing().is_err(), !loaded.problems.is_empty());
    let place = |number: Option<usize>| number.map_or("-".to_owned(), |number| number.to_string());
    loaded
        .problems
        .iter()
        .map(|problem| {
            format!("{}:{} {}: {}", place(problem.line), place(problem.column), problem.key, problem.message)
        })
        .collect()
}

/// Asserts that a text has just this one mistake.
#[track_caller]
fn assert_problem(text: impl AsRef<[u8]>, expected: &str) {
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with(expected), "{}\nis not\n{expected}", found[0]);
}
