//! opencode.
//!
//! Facts seen on 1.18.33:
//! - It makes its own conversation ids and keeps conversations in a database, which its command `db` can query.
//! - `--session` of an unknown conversation exits 1.
//! - SIGTERM exits 0 with everything kept.
//! - It asks for no trust.
//! - Its first screen can take many seconds.

mod screen;

use std::{ops::Range, path::Path, time::Duration};

use process::clock;
use wire::Activity;

use super::{
    Fresh, Harness, Place, Reading, Screen, Spawned,
    args::{self, Options, Words},
    program,
};

/// Options as listed by `opencode --help`. A word without an option is the directory to work in.
const OPTIONS: Options = Options {
    one: &["--agent", "--hostname", "--log-level", "--mdns-domain", "-m", "--model", "--port", "--replay-limit"],
    at_most_one: &[],
    none: &["--auto", "--fork", "--mdns", "--mini", "--no-replay", "--print-logs", "--pure"],
    refused: &[
        (&["--prompt"], args::OTHER_PROMPT),
        (&["-s", "--session", "-c", "--continue"], args::OTHER_CONVERSATION),
        (&["-h", "--help", "-v", "--version"], args::ENDS),
    ],
    words: Words::Commands(&[
        "acp",
        "agent",
        "attach",
        "auth",
        "completion",
        "db",
        "debug",
        "export",
        "github",
        "import",
        "mcp",
        "models",
        "plug",
        "plugin",
        "pr",
        "providers",
        "run",
        "serve",
        "session",
        "stats",
        "uninstall",
        "upgrade",
        "web",
    ]),
};

pub(crate) struct OpenCode;

impl Harness for OpenCode {
    fn program(&self) -> &'static str {
        "opencode"
    }

    fn account(&self) -> &'static [&'static str] {
        &[
            "HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_DB",
        ]
    }

    fn new_id(&self, _: &Place<'_>) -> Result<String, String> {
        Ok(String::new())
    }

    fn makes_its_ids(&self) -> bool {
        true
    }

    fn check_args(&self, args: &[String]) -> Result<(), String> {
        OPTIONS.check(args)
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        // Before the operator's arguments: after a `--` among them it would not be an option.
        let mut argv = vec!["--prompt".to_owned(), fresh.prompt.to_owned()];
        argv.extend_from_slice(fresh.args);
        argv
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["--session".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn discover(&self, place: &Place<'_>, spawned: &Spawned<'_>) -> Option<String> {
        // Its database does not say which process is in which conversation, and a query takes a second or more.
        if !spawned.known.is_empty() {
            return None;
        }
        let question = opened_by(place.cwd, spawned)?;
        let answer = program::ask(place, self.program(), &["db", &question, "--format", "json"]).ok()?;
        let rows: Vec<serde_json::Value> = serde_json::from_str(&answer).ok()?;
        rows.first()?["id"].as_str().map(str::to_owned)
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

    fn hints(&self) -> &'static [&'static str] {
        &["Ask anything"]
    }

    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        screen::holds_input(screen, message)
    }
}

/// Finds the conversation that was begun in this directory since the spawn, with the words that only this session is
/// given.
fn opened_by(cwd: &Path, spawned: &Spawned<'_>) -> Option<String> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let named = quoted(cwd.to_str()?);
    let real = quoted(cwd.canonicalize().ok()?.to_str()?);
    let since = clock::milliseconds(spawned.since)?;
    Some(format!(
        "select s.id as id from session s join part p on p.session_id = s.id where s.parent_id is null \
         and s.directory in ({named}, {real}) and s.time_created >= {since} \
         and json_extract(p.data, '$.type') = 'text' \
         and substr(json_extract(p.data, '$.text'), 1, {}) = {} order by s.time_created desc limit 1",
        spawned.opening.chars().count(),
        quoted(spawned.opening),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_names_place_time_and_words() {
        let dir = tempfile::tempdir().expect("made");
        let cwd = dir.path().join("it's here");
        std::fs::create_dir(&cwd).expect("made");
        let spawned = Spawned {
            opening: "You are the standing session `ops` of the-loop.",
            pid: None,
            loop_id: "",
            since: "2026-01-02T03:04:05Z",
            known: "",
            thorough: true,
        };
        let question = opened_by(&cwd, &spawned).expect("can be asked");
        for part in ["it''s here", ">= 1767323045000 ", "'You are the standing session `ops` of the-loop.'", "1, 47)"] {
            assert!(question.contains(part), "{question} lacks {part:?}");
        }
        assert_eq!(opened_by(&cwd, &Spawned { since: "", ..spawned }), None);
    }
}
