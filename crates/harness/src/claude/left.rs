//! Finds the conversation that Claude Code was in when it ended.
//!
//! A person may have typed `/clear` unobserved before the end. Three traces remain, each bound to that very run:
//! - Its session file, which only an orderly end removes.
//! - The line "Resume this session with" on its pane after an orderly end.
//! - Its history of prompts. A `/clear` there names the conversation it was typed into. The conversation that begins at
//!   that moment with that command is the next one.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use process::clock;
use serde::Deserialize;
use serde_json::Value;

use super::{Claude, Session, config_dir};
use crate::{Ended, Harness, Place, screen::named_after};

/// Bytes of the history that are searched, counted from its end.
const HISTORY_TAIL: u64 = 512 * 1024;

/// Maximum time between the command in the history and in the next transcript, in milliseconds.
const ONE_MOMENT_MS: i64 = 2000;

/// Lines of a transcript that are searched for the command it begins with.
const FIRST_LINES: usize = 12;

/// Maximum number of moves to another conversation that are followed.
const LONGEST_CHAIN: usize = 50;

pub(super) fn conversation(claude: &Claude, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
    let written = |id: &String| claude.transcript(place, id).is_some_and(|path| path.exists());
    by_session_file(place, ended)
        .or_else(|| named_after(ended.last_words, "claude --resume "))
        .filter(written)
        .or_else(|| cleared(claude, place, ended.since, ended.known).pop())
}

/// Finds the conversation by the session file: by the pane's process or, if a wrapper ran in the pane, by the tmux
/// session that the file names.
fn by_session_file(place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
    let folder = config_dir(place)?.join("sessions");
    let own = Session::read(&folder.join(format!("{}.json", ended.process.pid)))
        .filter(|session| session.proc_start == ended.process.start_ticks.to_string());
    if let Some(session) = own {
        return Some(session.session_id);
    }
    let since = clock::milliseconds(ended.since)?;
    let pane = format!("{}:", ended.session.tmux_session());
    let files = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| Session::read(&entry.path()));
    let ours = files.filter(|session| {
        session.tmux.starts_with(&pane) && session.started_at.is_some_and(|at| at >= since) && !session.is_alive()
    });
    ours.max_by_key(|session| session.started_at).map(|session| session.session_id)
}

/// Line of the history of prompts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prompt {
    display: String,
    timestamp: i64,
    session_id: String,
}

/// Lists the conversations that `/clear` led to from a known one, in order.
pub(super) fn cleared(claude: &Claude, place: &Place<'_>, since: &str, known: &str) -> Vec<String> {
    followed(claude, place, since, known).unwrap_or_default()
}

fn followed(claude: &Claude, place: &Place<'_>, since: &str, known: &str) -> Option<Vec<String>> {
    let since = clock::milliseconds(since)?;
    let dir = claude.transcript(place, known)?.parent()?.to_owned();
    let history = tail(&config_dir(place)?.join("history.jsonl")).ok()?;
    let left: Vec<Prompt> = history
        .lines()
        .filter_map(|line| serde_json::from_str::<Prompt>(line).ok())
        .filter(|prompt| prompt.timestamp >= since && prompt.display.trim() == "/clear")
        .collect();
    if left.is_empty() {
        return None;
    }
    let begun: Vec<(String, i64)> =
        fs::read_dir(dir).ok()?.flatten().filter_map(|entry| begun_by_clear(&entry.path())).collect();
    let (mut known, mut chain) = (known.to_owned(), Vec::new());
    for _ in 0..LONGEST_CHAIN {
        let next = left.iter().filter(|prompt| prompt.session_id == known).find_map(|prompt| {
            let same = |(id, at): &&(String, i64)| *id != known && (at - prompt.timestamp).abs() <= ONE_MOMENT_MS;
            begun.iter().filter(same).min_by_key(|(_, at)| (at - prompt.timestamp).abs())
        });
        let Some((id, _)) = next else { break };
        known.clone_from(id);
        chain.push(id.clone());
    }
    Some(chain)
}

/// Returns the id of a transcript that begins with the command, and the time when the command was typed.
fn begun_by_clear(path: &Path) -> Option<(String, i64)> {
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
    let lines = BufReader::new(File::open(path).ok()?).lines().map_while(Result::ok).take(FIRST_LINES);
    lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok()).find_map(|entry| {
        let command = entry["message"]["content"].as_str()?.contains("<command-name>/clear</command-name>");
        let at = entry["timestamp"].as_str()?.parse::<jiff::Timestamp>().ok()?.as_millisecond();
        command.then(|| (id.clone(), at))
    })
}

fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let from = file.metadata()?.len().saturating_sub(HISTORY_TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(HISTORY_TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use process::{ProcessIdentity, Surroundings};
    use wire::SessionName;

    use super::*;

    const OLD: &str = "11111111-1111-4111-8111-111111111111";
    const NEW: &str = "22222222-2222-4222-8222-222222222222";
    const NEWER: &str = "33333333-3333-4333-8333-333333333333";

    struct Stage {
        home: tempfile::TempDir,
        here: Surroundings,
        process: ProcessIdentity,
        name: SessionName,
    }

    impl Stage {
        fn new() -> Self {
            let home = tempfile::tempdir().expect("made");
            let here = Surroundings::of_process().with_var("HOME", home.path()).without_var("CLAUDE_CONFIG_DIR");
            let process = ProcessIdentity { pid: 4_100_000, start_ticks: 77, boot_id: "b".to_owned() };
            let stage = Self { home, here, process, name: SessionName::parse("ops").expect("valid") };
            stage.transcript(OLD, None);
            stage
        }

        fn place(&self) -> Place<'_> {
            Place::of(&self.here, self.home.path())
        }

        fn transcript(&self, id: &str, cleared_at: Option<&str>) -> PathBuf {
            let path = Claude.transcript(&self.place(), id).expect("known");
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            let command = cleared_at.map(|at| {
                serde_json::json!({"type": "user", "timestamp": at,
                    "message": {"content": "<command-name>/clear</command-name>"}})
            });
            fs::write(&path, format!("{{\"type\":\"mode\"}}\n{}\n", command.unwrap_or_default())).expect("written");
            path
        }

        fn history(&self, prompts: &[(&str, &str, &str)]) {
            let lines: Vec<String> = prompts
                .iter()
                .map(|(display, at, id)| {
                    let at = at.parse::<jiff::Timestamp>().expect("a time").as_millisecond();
                    serde_json::json!({"display": display, "timestamp": at, "sessionId": id}).to_string()
                })
                .collect();
            fs::write(self.home.path().join(".claude/history.jsonl"), lines.join("\n")).expect("written");
        }

        fn session_file(&self, pid: u32, start: u64, tmux: &str, id: &str) {
            let folder = self.home.path().join(".claude/sessions");
            fs::create_dir_all(&folder).expect("made");
            let text = serde_json::json!({"sessionId": id, "procStart": start.to_string(), "kind": "interactive",
                "tmux": tmux, "startedAt": 1_800_000_000_000_i64, "pid": pid});
            fs::write(folder.join(format!("{pid}.json")), text.to_string()).expect("written");
        }

        fn left(&self, last_words: &str) -> Option<String> {
            let since = "2026-11-30T05:00:00Z";
            let ended = Ended { session: &self.name, process: &self.process, since, known: OLD, last_words };
            conversation(&Claude, &self.place(), &ended)
        }
    }

    #[test]
    fn a_session_file_that_was_left_behind_names_the_last_conversation() {
        let stage = Stage::new();
        stage.transcript(NEW, None);
        stage.session_file(stage.process.pid, 78, "", NEW);
        assert_eq!(stage.left(""), None, "another process had that pid");
        stage.session_file(stage.process.pid, 77, "", NEW);
        assert_eq!(stage.left("").as_deref(), Some(NEW));
    }

    #[test]
    fn the_session_file_of_a_wrapped_agent_is_known_by_its_tmux_session() {
        let stage = Stage::new();
        stage.transcript(NEW, None);
        stage.session_file(4_100_001, 5, "loop-standing-ops-2:@1.%1", NEW);
        assert_eq!(stage.left(""), None, "a neighbour's");
        stage.session_file(4_100_001, 5, "loop-standing-ops:@1.%1", NEW);
        assert_eq!(stage.left("").as_deref(), Some(NEW));
    }

    #[test]
    fn the_last_words_of_an_orderly_end_name_the_conversation() {
        let stage = Stage::new();
        let words = format!("Resume this session with:\nclaude --resume {NEW}");
        assert_eq!(stage.left(&words), None, "no such conversation was written");
        stage.transcript(NEW, None);
        assert_eq!(stage.left(&words).as_deref(), Some(NEW));
        assert_eq!(stage.left("claude --resume ../../etc/passwd"), None);
    }

    #[test]
    fn a_clear_is_followed_through_the_history_to_the_last_conversation() {
        let stage = Stage::new();
        stage.transcript(NEW, Some("2026-11-30T05:10:00.100Z"));
        stage.transcript(NEWER, Some("2026-11-30T05:20:00.100Z"));
        stage.history(&[("/clear", "2026-11-30T04:00:00Z", OLD)]);
        assert_eq!(stage.left(""), None, "typed before this spawn");
        stage.history(&[("/clear", "2026-11-30T05:15:00Z", OLD)]);
        assert_eq!(stage.left(""), None, "nothing begins there");
        let other = "44444444-4444-4444-8444-444444444444";
        stage.history(&[("/clear", "2026-11-30T05:10:00.050Z", other)]);
        assert_eq!(stage.left(""), None, "a person's own session was cleared");
        stage.history(&[
            ("hello", "2026-11-30T05:05:00Z", OLD),
            ("/clear", "2026-11-30T05:10:00.050Z", OLD),
            ("/clear", "2026-11-30T05:20:00.050Z", NEW),
        ]);
        assert_eq!(stage.left("").as_deref(), Some(NEWER));
        assert_eq!(Claude.between(&stage.place(), "2026-11-30T05:00:00Z", OLD, NEWER), [NEW]);
    }
}
