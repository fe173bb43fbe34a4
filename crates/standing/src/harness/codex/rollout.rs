//! The files that Codex keeps its conversations in: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, whose first line
//! says where and how the conversation was begun.
//!
//! A conversation is taken for a session's own only on proof: its file is held open by a process of that spawn, or it
//! begins with the words that this session alone is told.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::Deserialize;
use serde_json::Value;

use crate::{directive, harness::Spawned};

/// How many lines of a file are looked through for the first words of a person.
const FIRST_LINES: usize = 40;

/// The conversation that one of these processes is in.
pub(super) fn held_open(processes: impl Iterator<Item = u32>) -> Option<String> {
    let files = processes.flat_map(open_files).filter(|path| is_rollout(path));
    let screens = files.filter_map(|path| Some((written(&path)?, Meta::read(&path)?)));
    // A person may have moved on to another conversation; the one they left may still be open for a while.
    screens.filter(|(_, meta)| meta.is_of_a_screen()).max_by_key(|(written, _)| *written).map(|(_, meta)| meta.id)
}

/// The conversation of a spawn that has ended.
pub(super) fn begun_by(home: &Path, cwd: &Path, spawned: &Spawned<'_>) -> Option<String> {
    if spawned.since.is_empty() {
        return None;
    }
    let opening = directive::opening(spawned.session);
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let ours = |path: &PathBuf| {
        let meta = Meta::read(path)?;
        let there = meta.cwd.canonicalize().unwrap_or_else(|_| meta.cwd.clone());
        let after = meta.timestamp.as_str() >= spawned.since.trim_end_matches('Z');
        (meta.is_of_a_screen() && there == cwd && after && opens_with(path, &opening)).then_some(meta.id)
    };
    newest_first(&home.join("sessions")).iter().take_while(|path| begun_after(path, spawned.since)).find_map(ours)
}

/// The file of a conversation.
pub(super) fn of(home: &Path, id: &str) -> Option<PathBuf> {
    if id.is_empty() {
        return None;
    }
    let end = format!("-{id}.jsonl");
    newest_first(&home.join("sessions")).into_iter().find(|path| name(path).ends_with(&end))
}

/// The first line of a file.
#[derive(Debug, Deserialize)]
struct Meta {
    id: String,
    cwd: PathBuf,
    timestamp: String,
    /// `"cli"` for one with a screen, `"exec"` and objects for others: the agent itself may begin such.
    source: Value,
}

impl Meta {
    fn read(path: &Path) -> Option<Self> {
        let mut line = String::new();
        BufReader::new(File::open(path).ok()?).read_line(&mut line).ok()?;
        let mut value: Value = serde_json::from_str(&line).ok()?;
        (value["type"] == "session_meta").then(|| serde_json::from_value(value["payload"].take()).ok())?
    }

    fn is_of_a_screen(&self) -> bool {
        self.source == "cli"
    }
}

fn open_files(pid: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_rollout(path: &Path) -> bool {
    name(path).starts_with("rollout-") && path.extension().is_some_and(|end| end == "jsonl")
}

fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Every file, by folder and name from new to old.
fn newest_first(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.append(&mut newest_first(&entry.path())),
            Ok(_) if is_rollout(&entry.path()) => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

/// By the day in the file's name, which is the local one: a day of slack.
fn begun_after(path: &Path, since: &str) -> bool {
    let day = |text: &str| text.get(..10)?.parse::<jiff::civil::Date>().ok();
    match (name(path).strip_prefix("rollout-").and_then(day), day(since)) {
        (Some(begun), Some(since)) => begun.tomorrow().unwrap_or(begun) >= since,
        _ => true,
    }
}

fn opens_with(path: &Path, opening: &str) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let lines = BufReader::new(file).lines().map_while(Result::ok).take(FIRST_LINES);
    lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok()).any(|value| {
        let payload = &value["payload"];
        let texts = payload["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
        payload["role"] == "user" && texts.into_iter().any(|text| text.starts_with(opening))
    })
}

#[cfg(test)]
mod tests {
    use wire::SessionName;

    use super::*;

    struct Sessions(tempfile::TempDir);

    impl Sessions {
        fn write(&self, day: &str, id: &str, source: &str, cwd: &Path, said: &str) -> PathBuf {
            let dir = self.0.path().join("sessions").join(day.replace('-', "/"));
            fs::create_dir_all(&dir).expect("made");
            let path = dir.join(format!("rollout-{day}T10-00-00-{id}.jsonl"));
            let meta = serde_json::json!({"type": "session_meta", "payload": {"id": id, "cwd": cwd,
                "timestamp": format!("{day}T10:00:00.123Z"), "source": source, "more": 1}});
            let turn = serde_json::json!({"type": "response_item", "payload": {"role": "user",
                "content": [{"type": "input_text", "text": said}]}});
            fs::write(&path, format!("{meta}\n{turn}\n")).expect("written");
            path
        }
    }

    fn named(name: &str) -> SessionName {
        SessionName::parse(name).expect("valid")
    }

    #[test]
    fn an_open_file_of_a_screen_is_the_conversation() {
        let sessions = Sessions(tempfile::tempdir().expect("made"));
        let cwd = sessions.0.path();
        let mine = File::open(sessions.write("2026-05-01", "c-1", "cli", cwd, "x")).expect("opened");
        let run = File::open(sessions.write("2026-05-02", "c-2", "exec", cwd, "x")).expect("opened");
        sessions.write("2026-05-03", "c-3", "cli", cwd, "x");
        assert_eq!(held_open(std::iter::once(std::process::id())).as_deref(), Some("c-1"));
        drop((mine, run));
        assert_eq!(held_open(std::iter::once(std::process::id())), None, "the newest is nobody's proof");
    }

    #[test]
    fn one_that_ended_is_known_by_place_time_and_first_words() {
        let sessions = Sessions(tempfile::tempdir().expect("made"));
        let (home, cwd) = (sessions.0.path(), sessions.0.path());
        let opening = |name: &str| format!("{} And more.", directive::opening(&named(name)));
        sessions.write("2026-05-01", "c-before", "cli", cwd, &opening("ops"));
        sessions.write("2026-05-03", "c-mine", "cli", cwd, &opening("ops"));
        sessions.write("2026-05-04", "c-neighbour", "cli", cwd, &opening("ops-2"));
        sessions.write("2026-05-05", "c-elsewhere", "cli", Path::new("/"), &opening("ops"));
        sessions.write("2026-05-06", "c-person", "cli", cwd, "fix the tests");
        sessions.write("2026-05-07", "c-run", "exec", cwd, &opening("ops"));
        let ops = named("ops");
        let spawned = |since| Spawned { session: &ops, pid: None, loop_id: "l", since, known: "" };
        assert_eq!(begun_by(home, cwd, &spawned("2026-05-02T00:00:00Z")).as_deref(), Some("c-mine"));
        assert_eq!(begun_by(home, cwd, &spawned("2026-05-04T00:00:00Z")), None);
        assert_eq!(begun_by(home, cwd, &spawned("")), None);
        assert!(of(home, "c-person").is_some_and(|path| path.ends_with("rollout-2026-05-06T10-00-00-c-person.jsonl")));
        assert_eq!((of(home, "c-nobody"), of(home, "")), (None, None));
    }
}
