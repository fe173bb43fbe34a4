//! Gemini CLI.
//!
//! Facts seen on 0.61.0:
//! - `--session-id` of an existing conversation and `--resume` of an unknown one exit 42, the latter after some
//!   seconds.
//! - Turns are appended immediately to `<home>/tmp/<project>/chats/session-<time>-<id's first part>.jsonl`. A resume
//!   adds a file of that name without a turn in it.
//! - The title shows the state.
//! - A paste before the first screen is lost.
//! - It restarts itself with another heap size, and the first process then ignores SIGTERM. A variable prevents this,
//!   and then SIGTERM ends it in a quarter of a second.

mod chats;
mod screen;
mod trust;

use std::{ops::Range, path::PathBuf, time::Duration};

use config::HarnessTrust;
use wire::{Activity, Choice};

use super::{
    Act, Ended, Fresh, Harness, Place, Reading, Retention, Screen, Trust,
    args::{self, Options, Words},
    retention,
};

/// Options as listed by `gemini --help`.
const OPTIONS: Options = Options {
    one: &["--approval-mode", "-m", "--model", "-o", "--output-format"],
    at_most_one: &["-w", "--worktree", "-s", "--sandbox"],
    none: &[
        "--accept-raw-output-risk",
        "-d",
        "--debug",
        "--raw-output",
        "--screen-reader",
        "--skip-trust",
        "-y",
        "--yolo",
    ],
    refused: &[
        (&["-p", "--prompt", "--acp", "--experimental-acp"], args::PRINTS),
        (&["-i", "--prompt-interactive"], args::OTHER_PROMPT),
        (&["-r", "--resume", "--session-id", "--session-file"], args::OTHER_CONVERSATION),
        (&["-l", "--list-extensions", "--list-sessions", "--delete-session"], args::ENDS),
        (&["-h", "--help", "-v", "--version"], args::ENDS),
    ],
    words: Words::Prompt,
};

pub(crate) struct Gemini;

impl Harness for Gemini {
    fn program(&self) -> &'static str {
        "gemini"
    }

    fn account(&self) -> &'static [&'static str] {
        &["HOME", "GEMINI_CLI_HOME", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"]
    }

    fn vars(&self) -> &'static [(&'static str, &'static str)] {
        &[("GEMINI_CLI_NO_RELAUNCH", "true")]
    }

    fn check_args(&self, args: &[String]) -> Result<(), String> {
        OPTIONS.check(args)
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["--session-id".to_owned(), fresh.id.to_owned()];
        // Before the operator's arguments: after a `--` among them it would not be an option.
        argv.extend(["--prompt-interactive".to_owned(), fresh.prompt.to_owned()]);
        argv.extend_from_slice(fresh.args);
        argv
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn left_in(&self, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
        super::screen::named_after(ended.last_words, "gemini --resume ")
            .filter(|id| self.transcript(place, id).is_some())
    }

    fn retention(&self, place: &Place<'_>) -> Retention {
        folder(place).map_or(Retention::Forever, |dir| retention::gemini(&dir, place.cwd))
    }

    fn trust(&self, place: &Place<'_>, _: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
        trust::ensure(place, settings, act)
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        chats::of(&folder(place)?, id)
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

    fn input_lines(&self, screen: Screen<'_>) -> Option<Range<usize>> {
        screen::input_lines(screen)
    }

    fn prompt_marks(&self) -> &'static [char] {
        &['>', '*']
    }

    fn hints(&self) -> &'static [&'static str] {
        &["Type your message or @path/to/file"]
    }

    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        screen::holds_input(screen, message)
    }
}

/// Returns `.gemini` in `$GEMINI_CLI_HOME`, else in the home directory.
pub(super) fn folder(place: &Place<'_>) -> Option<PathBuf> {
    let home = place.path("GEMINI_CLI_HOME").or_else(|| place.home())?;
    Some(home.join(".gemini"))
}
