//! Codex.
//!
//! Facts seen on 0.171.0:
//! - It makes its own conversation ids, and has no option to set one.
//! - A conversation is a file that its process holds open while it is in it (see [`rollout`]).
//! - Every turn is written immediately, so SIGTERM loses nothing.
//! - `resume` of an unknown id exits 1.
//! - A resume in another directory than the conversation's stops at a prompt.
//! - Without `--no-daemon` its screen starts a background server that outlives the pane.

mod left;
mod news;
mod obstacle;
mod rollout;
mod screen;
mod trust;
mod turn;

use std::{ops::Range, path::PathBuf, time::Duration};

use config::HarnessTrust;
use wire::{Activity, Choice};

use super::{
    Act, Ended, Follow, Fresh, Harness, Place, Reading, Said, Screen, Spawned, Trust,
    args::{self, Options, Words},
    signal::{Obstacle, Signal},
};

const NO_DAEMON: &str = "--no-daemon";

/// Options as listed by `codex --help`.
const OPTIONS: Options = Options {
    one: &[
        "-a",
        "--ask-for-approval",
        "--add-dir",
        "-c",
        "--config",
        "-C",
        "--cd",
        "--disable",
        "--enable",
        "--local-provider",
        "-m",
        "--model",
        "-p",
        "--profile",
        "--remote",
        "--remote-auth-token-env",
        "-s",
        "--sandbox",
    ],
    at_most_one: &[],
    none: &[
        "--approve-for-me",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--full-auto",
        "--no-alt-screen",
        NO_DAEMON,
        "--oss",
        "--search",
        "--strict-config",
        "--worktree",
        "--yolo",
    ],
    refused: &[(&["--last", "--all"], args::OTHER_CONVERSATION), (&["-h", "--help", "-V", "--version"], args::ENDS)],
    words: Words::Prompt,
};

pub(crate) struct Codex;

impl Harness for Codex {
    fn program(&self) -> &'static str {
        "codex"
    }

    fn account(&self) -> &'static [&'static str] {
        &["HOME", "CODEX_HOME", "CODEX_SQLITE_HOME"]
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
        args::then_prompt(with_no_daemon(fresh.args), fresh.prompt)
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["resume".to_owned(), id.to_owned()];
        argv.append(&mut with_no_daemon(args));
        Some(argv)
    }

    fn discover(&self, place: &Place<'_>, spawned: &Spawned<'_>) -> Option<String> {
        match spawned.pid {
            Some(_) => rollout::held_open(spawned.processes()),
            None => rollout::begun_by(&home(place)?, place.cwd, spawned),
        }
    }

    fn left_in(&self, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
        left::conversation(&home(place)?, place.cwd, ended)
    }

    fn in_queue(&self, screen: Screen<'_>, message: &str) -> bool {
        screen::in_queue(screen, message)
    }

    fn trust(&self, place: &Place<'_>, _: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
        trust::ensure(place, settings, act)
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        rollout::of(&home(place)?, id)
    }

    fn conversation_file(&self, _: &Place<'_>, id: &str, pid: u32) -> Option<PathBuf> {
        rollout::open_below(pid, id)
    }

    fn follow(&self, message_id: &str) -> Option<Box<dyn Follow>> {
        Some(Box::new(turn::Turn::new(message_id)))
    }

    fn said(&self, entry: &serde_json::Value) -> Option<Said> {
        turn::said(entry)
    }

    fn begins_turn(&self, line: &serde_json::Value) -> Option<String> {
        // Codex 0.171.0 writes `task_started` where earlier versions wrote the message.
        let begins = matches!(line["payload"]["type"].as_str(), Some("user_message" | "task_started"));
        (line["type"] == "event_msg" && begins).then(|| line["timestamp"].as_str().map(str::to_owned))?
    }

    fn signal(&self, entry: &serde_json::Value) -> Option<Signal> {
        news::signal(entry, self.begins_turn(entry).is_some())
    }

    fn obstacle(&self, screen: Screen<'_>) -> Option<Obstacle> {
        obstacle::read(screen)
    }

    fn failed_turn(&self, screen: Screen<'_>) -> Option<Obstacle> {
        obstacle::failed_turn(screen)
    }

    fn credentials(&self, place: &Place<'_>) -> Option<PathBuf> {
        Some(home(place)?.join("auth.json"))
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        screen::read(screen)
    }

    fn choices(&self, screen: Screen<'_>) -> Vec<Choice> {
        super::screen::choices(screen)
    }

    fn draws_within(&self) -> Duration {
        Duration::from_secs(10)
    }

    fn is_up(&self, screen: Screen<'_>) -> Option<bool> {
        Some(screen::holds_input(screen, "").is_some() || self.read(screen).activity == Activity::Waiting)
    }

    fn input_lines(&self, screen: Screen<'_>) -> Option<Range<usize>> {
        screen::input_lines(screen)
    }

    fn prompt_marks(&self) -> &'static [char] {
        &['›']
    }

    fn hints(&self) -> &'static [&'static str] {
        &["Ask Codex to do anything"]
    }

    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        screen::holds_input(screen, message)
    }
}

/// Returns `$CODEX_HOME`, else `~/.codex`.
pub(super) fn home(place: &Place<'_>) -> Option<PathBuf> {
    place.path("CODEX_HOME").or_else(|| Some(place.home()?.join(".codex")))
}

/// Adds `--no-daemon`, unless the operator connects Codex to a server elsewhere.
fn with_no_daemon(args: &[String]) -> Vec<String> {
    let decided = args.iter().any(|arg| arg == NO_DAEMON || arg == "--remote" || arg.starts_with("--remote="));
    let own = (!decided).then(|| NO_DAEMON.to_owned());
    own.into_iter().chain(args.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_background_server_unless_one_is_asked_for() {
        let args = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let fresh = Fresh { id: "", args: &args("-m x"), prompt: "hello" };
        assert_eq!(Codex.fresh(&fresh), ["--no-daemon", "-m", "x", "--", "hello"]);
        assert_eq!(Codex.resume("c-1", &args("--no-daemon")).expect("can"), ["resume", "c-1", "--no-daemon"]);
        assert_eq!(Codex.resume("c-1", &args("--remote ws://h:1")).expect("can")[2..], ["--remote", "ws://h:1"]);
    }
}
