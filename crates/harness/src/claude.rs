//! Claude Code.
//!
//! Facts seen on 2.1.332:
//! - `--session-id` of an existing conversation and `--resume` of an unknown one exit 1.
//! - The transcript is `<config dir>/projects/<cwd, non-alphanumerics as ->/<id>.jsonl`. It exists once a prompt was
//!   submitted.
//! - A paste is held open for about 100 ms.
//! - `/clear` moves on to another conversation.
//! - A running process keeps `<config dir>/sessions/<pid>.json` with its conversation and its state.

mod hook;
mod left;
mod news;
mod obstacle;
mod screen;
mod settings;
mod trust;
mod turn;

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use config::HarnessTrust;
use jiff::Timestamp;
use process::ProcessIdentity;
use serde::Deserialize;
use wire::{Activity, Choice};

use super::{
    Act, Ended, Follow, Fresh, Harness, Place, Reading, Retention, Said, Screen, Spawned, Trust, Written,
    args::{self, Options, Words},
    launch::{Launch, LaunchSettings},
    retention,
    signal::{News, Obstacle, Signal},
};

/// Options as listed by `claude --help`.
const OPTIONS: Options = Options {
    one: &[
        "--agent",
        "--agents",
        "--append-system-prompt",
        "--append-system-prompt-file",
        "--debug-file",
        "--effort",
        "--fallback-model",
        "--input-format",
        "--json-schema",
        "--max-budget-usd",
        "--model",
        "-n",
        "--name",
        "--output-format",
        "--permission-mode",
        "--plugin-dir",
        "--plugin-url",
        "--remote-control-session-name-prefix",
        "--setting-sources",
        "--settings",
        "--system-prompt",
        "--system-prompt-file",
    ],
    at_most_one: &["-d", "--debug", "--prompt-suggestions", "--remote-control", "-w", "--worktree"],
    none: &[
        "--allow-dangerously-skip-permissions",
        "--ax-screen-reader",
        "--bare",
        "--brief",
        "--chrome",
        "--dangerously-skip-permissions",
        "--disable-slash-commands",
        "--exclude-dynamic-system-prompt-sections",
        "--fork-session",
        "--ide",
        "--include-hook-events",
        "--include-partial-messages",
        "--no-chrome",
        "--replay-user-messages",
        "--safe-mode",
        "--strict-mcp-config",
        "--verbose",
    ],
    refused: &[
        (&["-p", "--print"], args::PRINTS),
        (&["--bg", "--background"], "it runs in the background; a session needs an interactive screen"),
        (&["--session-id", "-r", "--resume", "-c", "--continue", "--from-pr"], args::OTHER_CONVERSATION),
        (&["-h", "--help", "-v", "--version"], args::ENDS),
    ],
    words: Words::Prompt,
};

pub(crate) struct Claude;

impl Harness for Claude {
    fn program(&self) -> &'static str {
        "claude"
    }

    fn account(&self) -> &'static [&'static str] {
        &["HOME", "CLAUDE_CONFIG_DIR"]
    }

    fn check_args(&self, args: &[String]) -> Result<(), String> {
        OPTIONS.check(args)
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["--session-id".to_owned(), fresh.id.to_owned()];
        argv.extend_from_slice(fresh.args);
        args::then_prompt(argv, fresh.prompt)
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn discover(&self, place: &Place<'_>, spawned: &Spawned<'_>) -> Option<String> {
        let session = spawned.processes().find_map(|pid| Session::of(place, pid))?;
        // A conversation cannot be resumed until it is written.
        self.transcript(place, &session.session_id).filter(|path| path.exists()).map(|_| session.session_id)
    }

    fn told(&self, place: &Place<'_>, pid: u32) -> Option<(Reading, Option<Timestamp>)> {
        let session = Session::of(place, pid)?;
        let activity = match session.status.as_str() {
            "idle" => Activity::Idle,
            "busy" => Activity::Busy,
            "waiting" => Activity::Waiting,
            _ => return None,
        };
        let at = session.status_updated_at.and_then(|at| Timestamp::from_millisecond(at).ok());
        Some((Reading { activity, question: session.waiting_for }, at))
    }

    fn trust(&self, place: &Place<'_>, args: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
        trust::ensure(place, args, settings, act)
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        let (projects, file) = (config_dir(place)?.join("projects"), format!("{id}.jsonl"));
        let expected = projects.join(folder_of(place.cwd)).join(&file);
        if id.is_empty() || expected.exists() {
            return Some(expected);
        }
        // Only Claude Code knows how it cuts a long name. An id is in one folder, whatever its name.
        let folders = fs::read_dir(&projects).into_iter().flatten().flatten();
        folders.map(|folder| folder.path().join(&file)).find(|path| path.exists()).or(Some(expected))
    }

    fn left_in(&self, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
        left::conversation(self, place, ended)
    }

    fn between(&self, place: &Place<'_>, since: &str, from: &str, to: &str) -> Vec<String> {
        left::cleared(self, place, since, from).into_iter().take_while(|id| id != to).collect()
    }

    fn written(&self, entry: &serde_json::Value) -> Written {
        match (entry["type"].as_str(), entry["operation"].as_str()) {
            (Some("queue-operation"), Some("enqueue")) => Written::Queued,
            (Some("queue-operation"), Some("remove" | "popAll")) => Written::TakenBack,
            // These entries repeat a person's words for other purposes.
            (
                Some(
                    "queue-operation"
                    | "last-prompt"
                    | "summary"
                    | "ai-title"
                    | "custom-title"
                    | "file-history-snapshot",
                ),
                _,
            ) => Written::Note,
            _ => Written::Turn,
        }
    }

    fn follow(&self, message_id: &str) -> Option<Box<dyn Follow>> {
        Some(Box::new(turn::Turn::new(message_id)))
    }

    fn said(&self, entry: &serde_json::Value) -> Option<Said> {
        turn::said(entry)
    }

    fn begins_turn(&self, line: &serde_json::Value) -> Option<String> {
        // A tool's result is written like a user's message.
        let content = &line["message"]["content"];
        let said = content.is_string()
            || content.as_array().is_some_and(|parts| parts.iter().any(|part| part["type"] == "text"));
        let own = line["isSidechain"] != true && line["isMeta"] != true;
        (line["type"] == "user" && said && own).then(|| line["timestamp"].as_str().map(str::to_owned))?
    }

    fn signal(&self, entry: &serde_json::Value) -> Option<Signal> {
        news::signal(entry, self.begins_turn(entry).is_some())
    }

    fn launch_settings(
        &self,
        place: &Place<'_>,
        args: &[String],
        launch: &Launch<'_>,
    ) -> Option<Result<LaunchSettings, String>> {
        Some(settings::of_launch(place, args, launch))
    }

    fn has_hooks(&self) -> bool {
        true
    }

    fn hook_event(&self, event: &serde_json::Value) -> Option<(String, serde_json::Value)> {
        hook::kept(event)
    }

    fn hook_news(&self, event: &serde_json::Value) -> Option<News> {
        hook::news(event)
    }

    fn hook_activity(&self, event: &serde_json::Value) -> Option<Activity> {
        hook::activity(event)
    }

    fn obstacle(&self, screen: Screen<'_>) -> Option<Obstacle> {
        obstacle::read(screen)
    }

    fn failed_turn(&self, screen: Screen<'_>) -> Option<Obstacle> {
        obstacle::failed_turn(screen)
    }

    fn credentials(&self, place: &Place<'_>) -> Option<PathBuf> {
        Some(config_dir(place)?.join(".credentials.json"))
    }

    fn retention(&self, place: &Place<'_>) -> Retention {
        config_dir(place).map_or(Retention::Forever, |dir| retention::claude(&dir, place.cwd))
    }

    fn enter_gap(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        screen::read(screen)
    }

    fn choices(&self, screen: Screen<'_>) -> Vec<Choice> {
        super::screen::choices(screen)
    }

    fn question_settles(&self) -> Duration {
        Duration::from_millis(1200)
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
        &['❯']
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            r#"Try ""#,
            "Press up to edit queued messages",
            "Once fixed, resend your message",
            "Resend your message to try again",
        ]
    }

    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        screen::holds_input(screen, message)
    }
}

/// Returns `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub(super) fn config_dir(place: &Place<'_>) -> Option<PathBuf> {
    place.path("CLAUDE_CONFIG_DIR").or_else(|| Some(place.home()?.join(".claude")))
}

/// Returns Claude Code's folder name for a working directory: the real path with every UTF-16 unit that is not an ASCII
/// letter or digit as `-`, cut after 200 units.
fn folder_of(cwd: &Path) -> String {
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let plain = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from);
    cwd.to_string_lossy().encode_utf16().map(plain).take(200).collect()
}

/// Session file of a running Claude Code.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    session_id: String,
    /// Start of its process in clock ticks.
    proc_start: String,
    kind: String,
    #[serde(default)]
    status: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    status_updated_at: Option<i64>,
    #[serde(default)]
    waiting_for: String,
    /// Its tmux session, window and pane, as `name:@1.%1`.
    #[serde(default)]
    tmux: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    started_at: Option<i64>,
    #[serde(default)]
    pid: u32,
}

impl Session {
    /// Reads the session file of a process. A file left behind by another process with the same pid does not count.
    /// Neither does a run without a screen, which the agent itself may have begun.
    fn of(place: &Place<'_>, pid: u32) -> Option<Self> {
        let path = config_dir(place)?.join("sessions").join(format!("{pid}.json"));
        let session = Self::read(&path)?;
        (ProcessIdentity::of(pid)?.start_ticks.to_string() == session.proc_start).then_some(session)
    }

    /// Reads the session file of a run with a screen, living or not.
    fn read(path: &Path) -> Option<Self> {
        let session: Self = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        (session.kind == "interactive" && !session.session_id.is_empty()).then_some(session)
    }

    fn is_alive(&self) -> bool {
        ProcessIdentity::of(self.pid).is_some_and(|process| process.start_ticks.to_string() == self.proc_start)
    }
}

#[cfg(test)]
mod tests {
    use process::Surroundings;

    use super::*;

    #[test]
    fn a_session_file_counts_only_for_the_process_that_wrote_it() {
        let home = tempfile::tempdir().expect("made");
        let here = Surroundings::of_process().with_var("HOME", home.path()).without_var("CLAUDE_CONFIG_DIR");
        let place = Place::of(&here, home.path());
        let me = std::process::id();
        let spawned = Spawned { opening: "", pid: Some(me), loop_id: "", since: "", known: "", thorough: true };
        let start = ProcessIdentity::of(me).expect("we live").start_ticks;
        let sessions = home.path().join(".claude/sessions");
        fs::create_dir_all(&sessions).expect("made");
        let write = |start: u64, kind: &str| {
            let text = format!(
                r#"{{"pid":{me},"sessionId":"c-2","procStart":"{start}","kind":"{kind}","status":"waiting","waitingFor":"permission prompt","more":[]}}"#
            );
            fs::write(sessions.join(format!("{me}.json")), text).expect("written");
        };
        write(start, "interactive");
        assert_eq!(Claude.discover(&place, &spawned), None, "not written down yet");
        let transcript = Claude.transcript(&place, "c-2").expect("known");
        fs::create_dir_all(transcript.parent().expect("a folder")).expect("made");
        fs::write(transcript, "{}\n").expect("written");
        assert_eq!(Claude.discover(&place, &spawned).as_deref(), Some("c-2"));
        let (told, at) = Claude.told(&place, me).expect("told");
        assert_eq!(at, None, "an older version does not say when");
        assert_eq!((told.activity, told.question.as_str()), (Activity::Waiting, "permission prompt"));
        for (start, kind) in [(start + 1, "interactive"), (start, "print")] {
            write(start, kind);
            assert_eq!(Claude.discover(&place, &spawned), None, "{start} {kind}");
        }
    }
}
