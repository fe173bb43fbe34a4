//! The config file as users write it: defaults, mistakes with their places, and what is left of a broken file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use standing::{
    Surroundings,
    config::{self, ConfigPath, Loaded, Settings, SlackRead},
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

#[test]
fn nothing_written_means_every_default() {
    let project = Project::new();
    assert_eq!(project.load().standing(), Ok(&project.defaults()));
    for text in
        ["", "\n\n", "# nothing yet\n", "---\n", "{}", "null", "standingSessions:\nrouting:\nservice:\n  cors:\n"]
    {
        let project = Project::with(text);
        assert_eq!(project.load().standing(), Ok(&project.defaults()), "{text:?}");
    }
}

#[test]
fn a_named_file_must_exist() {
    let project = Project::new();
    let named = config::locate(Some(Path::new("ops.yaml")), &project.surroundings);
    assert_eq!(named.file(), project.dir.path().join("ops.yaml"));
    let loaded = config::load(named, &project.surroundings);
    assert!(loaded.problems[0].message.starts_with("no such file"), "{:?}", loaded.problems);
    assert_eq!(loaded.settings, project.defaults());

    let surroundings = project.surroundings.clone().with_var("THE_LOOP_CLI_CONFIG", "~/other.yaml");
    let loaded = config::load(config::locate(None, &surroundings), &surroundings);
    assert_eq!(loaded.path.file(), project.dir.path().join("home/other.yaml"));
    assert_eq!(loaded.problems.len(), 1);

    let unnamed = ConfigPath::new(project.dir.path().join("gone.yaml"));
    assert_eq!(config::load(unnamed, &project.surroundings).problems, []);
}

#[test]
fn mistakes_have_a_place_and_say_what_is_allowed() {
    let entry = "standingSessions:\n  sessions:\n    - ";
    assert_problem("standingSession: {}", "1:1 standingSession: unknown key: did you mean `standingSessions`?");
    assert_problem(
        "standingSessions:\n  enabeld: true\n",
        "2:3 standingSessions.enabeld: unknown key: did you mean `enabled`?",
    );
    assert_problem("standingSessions: {enabled: \"yes\"}", "1:29 standingSessions.enabled: expected `true` or `false`");
    assert_problem(format!("{entry}name: Sup"), "3:13 standingSessions.sessions[0].name: found the text \"Sup\"");
    assert_problem(format!("{entry}name: {}", "a".repeat(41)), "3:13 standingSessions.sessions[0].name: ");
    assert_problem(
        format!("{entry}name: \"a\\n\""),
        "3:13 standingSessions.sessions[0].name: found the text \"a\\n\", and '\\n' is not allowed",
    );
    assert_problem(format!("{entry}harness: x"), "3:7 standingSessions.sessions[0].name: it is missing");
    assert_problem("standingSessions:\n\tenabled: true\n", "2:1 : a tab stands where");
    assert_problem(
        format!("{entry}name: a\n      prompt: x\n      promptFile: y\n"),
        "5:7 standingSessions.sessions[0].promptFile: `prompt` (line 4) and `promptFile` are both set",
    );
    assert_problem(
        format!("{entry}name: a\n    - name: b\n    - name: a\n"),
        "5:13 standingSessions.sessions[2].name: `sessions[0]` (line 3) and `sessions[2]` (line 5)",
    );
}

#[test]
fn an_unknown_mode_of_reading_is_off() {
    for mode in ["off", "pol", "'false'", "false", "no"] {
        let project = Project::with(format!("channels: {{slack: {{read: {{mode: {mode}}}}}}}"));
        let loaded = project.load();
        assert_eq!((loaded.problems, loaded.settings.slack.read), (vec![], SlackRead::Off), "{mode}");
    }
}
