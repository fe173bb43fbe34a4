//! The built-in demo agent: our own program, so that everything can be seen to work with no account.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use wire::Activity;

use super::{Fresh, Harness, Place, Reading, Screen};

pub(crate) struct Demo {
    exe: String,
}

impl Demo {
    pub(super) fn new(exe: &Path) -> Self {
        Self { exe: exe.to_string_lossy().into_owned() }
    }
}

impl Harness for Demo {
    fn program(&self) -> &str {
        &self.exe
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["demo".to_owned(), "--session-id".to_owned(), fresh.id.to_owned()];
        argv.extend_from_slice(fresh.args);
        argv.push(fresh.prompt.to_owned());
        argv
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["demo".to_owned(), "--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        let home = match place.surroundings.var("THE_LOOP_DEMO_HOME") {
            Some(dir) => PathBuf::from(dir),
            None => place.surroundings.home()?.join(".the-loop-demo"),
        };
        let folder: String =
            place.cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Some(home.join("projects").join(folder).join(format!("{id}.jsonl")))
    }

    fn enter_gap(&self) -> Duration {
        Duration::from_millis(150)
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        let state = screen.title.strip_prefix("demo: ").unwrap_or_default();
        match state {
            "idle" => Reading { activity: Activity::Idle, question: String::new() },
            "working" => Reading { activity: Activity::Busy, question: String::new() },
            _ => match state.strip_prefix("waiting: ") {
                Some(question) => Reading { activity: Activity::Waiting, question: question.to_owned() },
                None => Reading::default(),
            },
        }
    }
}
