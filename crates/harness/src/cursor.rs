//! Cursor's command-line agent.
//!
//! npm does not have it and it does nothing without an account, so no fact here was seen on a real one. From its
//! documentation and from reports of others: `create-chat` prints the id of a new conversation, `--resume <id>` opens
//! one, and a directory is trusted by a file of its own below `~/.cursor/projects`.

mod screen;
mod trust;

use config::HarnessTrust;

use super::{
    Act, Fresh, Harness, Place, Reading, Screen, Trust,
    args::{self, Options, Words},
    program,
};

/// Options as listed in its documentation.
const OPTIONS: Options = Options {
    one: &["-a", "--api-key", "-e", "--endpoint", "-H", "--header", "-m", "--model", "--mode", "--workspace"],
    at_most_one: &["-w", "--worktree"],
    none: &["-f", "--force", "--approve-mcps", "--browser", "--trust", "--yolo", "--plan"],
    refused: &[
        (&["-p", "--print"], args::PRINTS),
        (&["-b", "--background", "-c", "--cloud"], "it runs elsewhere; a session needs an interactive screen"),
        (&["--resume", "--continue"], args::OTHER_CONVERSATION),
        (&["-h", "--help", "-v", "--version"], args::ENDS),
    ],
    words: Words::Prompt,
};

pub(crate) struct Cursor;

impl Harness for Cursor {
    fn program(&self) -> &'static str {
        "cursor-agent"
    }

    fn account(&self) -> &'static [&'static str] {
        &["HOME", "CURSOR_CONFIG_DIR", "CURSOR_DATA_DIR", "XDG_CONFIG_HOME"]
    }

    fn new_id(&self, place: &Place<'_>) -> Result<String, String> {
        let printed = program::ask(place, self.program(), &["create-chat"])?;
        let id = printed.split_whitespace().next_back().unwrap_or_default();
        let plain = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if plain {
            Ok(id.to_owned())
        } else {
            Err(format!(
                "`cursor-agent create-chat` printed {printed:?} instead of \
                                                           an id"
            ))
        }
    }

    fn check_args(&self, args: &[String]) -> Result<(), String> {
        OPTIONS.check(args)
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["--resume".to_owned(), fresh.id.to_owned()];
        argv.extend_from_slice(fresh.args);
        args::then_prompt(argv, fresh.prompt)
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn trust(&self, place: &Place<'_>, _: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
        trust::ensure(place, settings, act)
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        screen::read(screen)
    }
}
