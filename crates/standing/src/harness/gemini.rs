//! Gemini CLI.
//!
//! Facts seen on 0.61.0: `--session-id` of an existing conversation and `--resume` of an unknown one exit 42, the
//! latter after some seconds; turns are appended to `<home>/tmp/<project>/chats/session-<time>-<id's first part>.jsonl`
//! as they come, and a resume adds a file of that name with no turn in it; the state stands in the title; a paste that
//! comes before the first screen is lost. It starts itself anew with another heap size, and the first process then takes
//! no SIGTERM: a variable keeps it from doing that, and then SIGTERM ends it in a quarter of a second.

mod chats;
mod screen;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use wire::{Activity, Choice};

use super::{Fresh, Harness, Place, Reading, Screen, trust};
use crate::{Surroundings, config::HarnessTrust};

pub(crate) struct Gemini;

impl Harness for Gemini {
    fn program(&self) -> &'static str {
        "gemini"
    }

    fn vars(&self) -> &'static [(&'static str, &'static str)] {
        &[("GEMINI_CLI_NO_RELAUNCH", "true")]
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["--session-id".to_owned(), fresh.id.to_owned()];
        argv.extend_from_slice(fresh.args);
        argv.extend(["--prompt-interactive".to_owned(), fresh.prompt.to_owned()]);
        argv
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn trust(
        &self,
        place: &Place<'_>,
        _: &[String],
        settings: HarnessTrust,
        act: trust::Act,
    ) -> Result<trust::Trust, String> {
        trust::gemini(place, settings, act)
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        chats::of(&folder(place.surroundings)?, id)
    }

    fn choices(&self, screen: Screen<'_>) -> Vec<Choice> {
        super::screen::choices(screen)
    }

    fn draws_within(&self) -> Duration {
        Duration::from_secs(30)
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        screen::read(screen)
    }

    fn is_up(&self, screen: Screen<'_>) -> Option<bool> {
        Some(screen::holds_input(screen, "").is_some() || self.read(screen).activity == Activity::Waiting)
    }

    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        screen::holds_input(screen, message)
    }
}

/// `.gemini` in `$GEMINI_CLI_HOME`, else in the home directory.
pub(super) fn folder(surroundings: &Surroundings) -> Option<PathBuf> {
    let home = surroundings.var("GEMINI_CLI_HOME").map(Path::new).or_else(|| surroundings.home())?;
    Some(home.join(".gemini"))
}
