//! Files of Codex's conversations: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`. The first line says where and how
//! the conversation was begun.
//!
//! Old files are compressed (`.jsonl.zst`) and moved (`archived_sessions`); a resume unpacks them again.
//!
//! A conversation counts as a session's own only on proof: a process of that spawn holds its file open, or it begins
//! with the words that only this session is given.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::Deserialize;
use serde_json::Value;

use crate::Spawned;

/// Lines of a file that are searched for a person's first words.
const FIRST_LINES: usize = 40;

/// Finds the conversation that one of these processes is in.
pub(super) fn held_open(processes: impl Iterator<Item = u32>) -> Option<String> {
    let files = processes.flat_map(open_files).filter(|path| is_rollout(path));
    let screens = files.filter_map(|path| Some((written(&path)?, Meta::read(&path)?)));
    // A person may have moved on to another conversation; the previous one may stay open for a while.
    screens.filter(|(_, meta)| meta.is_of_a_screen()).max_by_key(|(written, _)| *written).map(|(_, meta)| meta.id)
}

/// Finds the conversation of a spawn that has ended.
pub(super) fn begun_by(home: &Path, cwd: &Path, spawned: &Spawned<'_>) -> Option<String> {
    if spawned.since.is_empty() {
        return None;
    }
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let ours = |path: &PathBuf| {
        let meta = Meta::read(path)?;
        let there = meta.cwd.canonicalize().unwrap_or_else(|_| meta.cwd.clone());
        let after = meta.timestamp.as_str() >= spawned.since.trim_end_matches('Z');
        (meta.is_of_a_screen() && there == cwd && after && opens_with(path, spawned.opening)).then_some(meta.id)
    };
    newest_first(&home.join("sessions")).iter().take_while(|path| begun_after(path, spawned.since)).find_map(ours)
}

/// Finds the file of a conversation.
///
/// The time in its id names the folder: there may be ten thousand other files. If the file is not there, all folders
/// are searched.
pub(super) fn of(home: &Path, id: &str) -> Option<PathBuf> {
    if id.is_empty() {
        return None;
    }
    let sessions = home.join("sessions");
    let [plain, packed] = [format!("-{id}.jsonl"), format!("-{id}.jsonl.zst")];
    let among = |paths: Vec<PathBuf>| {
        let with = |end: &str| paths.iter().find(|path| name(path).ends_with(end)).cloned();
        with(&plain).or_else(|| with(&packed))
    };
    days_of(id)
        .into_iter()
        .find_map(|day| among(rollouts_in(&sessions.join(day))))
        .or_else(|| among(newest_first(&sessions)))
        .or_else(|| among(newest_first(&home.join("archived_sessions"))))
}

/// Lists the possible folders of a conversation by the time in its id (a UUID of version 7): the folder is named after
/// the local day.
fn days_of(id: &str) -> Vec<String> {
    let Some(made) = made_at(id) else { return Vec::new() };
    let day = jiff::tz::TimeZone::UTC.to_datetime(made).date();
    let days = [Some(day), day.yesterday().ok(), day.tomorrow().ok()];
    days.into_iter().flatten().map(|day| day.strftime("%Y/%m/%d").to_string()).collect()
}

fn made_at(id: &str) -> Option<jiff::Timestamp> {
    let id = uuid::Uuid::try_parse(id).ok().filter(|id| id.get_version_num() == 7)?;
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    jiff::Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanoseconds).ok()?).ok()
}

/// Conversation with a screen that was begun in a directory, and its time.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// Time in its first line.
    at: String,
}

/// Lists the conversations begun in this directory since a time, oldest first.
pub(super) fn begun_since(home: &Path, cwd: &Path, since: &str) -> Vec<Begun> {
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let paths = newest_first(&home.join("sessions"));
    let begun = paths.into_iter().take_while(|path| begun_after(path, since)).filter_map(|path| {
        let meta = Meta::read(&path)?;
        let here = meta.cwd.canonicalize().unwrap_or_else(|_| meta.cwd.clone()) == cwd;
        let after = meta.timestamp.as_str() >= since.trim_end_matches('Z');
        (meta.is_of_a_screen() && here && after).then_some(Begun { id: meta.id, path, at: meta.timestamp })
    });
    let mut begun: Vec<Begun> = begun.collect();
    begun.sort_by(|a, b| a.at.cmp(&b.at));
    begun
}

/// Returns a person's last words in a conversation.
pub(super) fn last_said(path: &Path) -> Option<String> {
    let lines = BufReader::new(File::open(path).ok()?).lines().map_while(Result::ok);
    let said = lines.filter_map(|line| {
        let value: Value = serde_json::from_str(&line).ok()?;
        let payload = &value["payload"];
        let text = payload["content"].as_array()?.iter().find_map(|part| part["text"].as_str())?;
        // Codex's own messages to the model are between tags.
        (payload["role"] == "user" && !text.starts_with('<')).then(|| text.to_owned())
    });
    said.last()
}

/// First line of a file.
#[derive(Debug, Deserialize)]
struct Meta {
    id: String,
    cwd: PathBuf,
    timestamp: String,
    /// `"cli"` with a screen, `"exec"` and objects without: the agent itself may begin such conversations.
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

/// Returns the file of a conversation that a process is in, without searching all files.
fn open_in(pid: u32, id: &str) -> Option<PathBuf> {
    open_files(pid).into_iter().find(|path| is_rollout(path) && name(path).contains(id))
}

/// Finds the file of a conversation that a process or one of its children holds open. Codex as installed by npm is a child
/// of Node.
pub(super) fn open_below(pid: u32, id: &str) -> Option<PathBuf> {
    open_in(pid, id).or_else(|| children(pid).into_iter().find_map(|child| open_in(child, id)))
}

/// Returns the children of a process. The kernel lists them by the thread that started them.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<_>>()).collect()
}

fn open_files(pid: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_rollout(path: &Path) -> bool {
    let name = name(path);
    let plain = name.strip_suffix(".zst").unwrap_or(name);
    name.starts_with("rollout-") && Path::new(plain).extension().is_some_and(|end| end == "jsonl")
}

fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Lists the files of one folder.
fn rollouts_in(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| is_rollout(path)).collect()
}

/// Lists every file by folder and name, newest first.
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

/// Compares with the day in the file's name, which is the local one: a day of tolerance.
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

    fn opening(name: &str) -> String {
        format!("You are `{name}`.")
    }

    #[test]
    fn a_conversation_that_a_child_holds_open_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let id = "0199a1b2-0000-7000-8000-00000000c0de";
        let path = folder.path().join(format!("rollout-2026-11-30T08-00-00-{id}.jsonl"));
        fs::write(&path, "").expect("written");
        let held = File::open(&path).expect("open");
        let mut child = std::process::Command::new("sleep").arg("600").stdin(held).spawn().expect("a child");
        let found = open_below(std::process::id(), id);
        child.kill().expect("ended");
        child.wait().expect("gone");
        assert_eq!(found.as_deref().and_then(Path::file_name), path.file_name());
        assert_eq!(open_below(std::process::id(), id), None);
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
        let said = |name: &str| format!("{} And more.", opening(name));
        sessions.write("2026-05-01", "c-before", "cli", cwd, &said("ops"));
        sessions.write("2026-05-03", "c-mine", "cli", cwd, &said("ops"));
        sessions.write("2026-05-04", "c-neighbour", "cli", cwd, &said("ops-2"));
        sessions.write("2026-05-05", "c-elsewhere", "cli", Path::new("/"), &said("ops"));
        sessions.write("2026-05-06", "c-person", "cli", cwd, "fix the tests");
        sessions.write("2026-05-07", "c-run", "exec", cwd, &said("ops"));
        let ops = opening("ops");
        let spawned = |since| Spawned { opening: &ops, pid: None, loop_id: "l", since, known: "", thorough: true };
        assert_eq!(begun_by(home, cwd, &spawned("2026-05-02T00:00:00Z")).as_deref(), Some("c-mine"));
        assert_eq!(begun_by(home, cwd, &spawned("2026-05-04T00:00:00Z")), None);
        assert_eq!(begun_by(home, cwd, &spawned("")), None);
        assert!(of(home, "c-person").is_some_and(|path| path.ends_with("rollout-2026-05-06T10-00-00-c-person.jsonl")));
        assert_eq!((of(home, "c-nobody"), of(home, "")), (None, None));
    }

    #[test]
    fn a_conversation_is_found_on_its_day_compressed_or_put_away() {
        let sessions = Sessions(tempfile::tempdir().expect("made"));
        let home = sessions.0.path();
        // Its id says 2026-11-30.
        let id = "01a22ad3-dabc-7a81-8258-0f4af531624a";
        assert_eq!(days_of(id), ["2026/11/30", "2026/11/29", "2026/12/01"]);
        let plain = sessions.write("2026-11-30", id, "cli", home, "x");
        assert_eq!(of(home, id).as_ref(), Some(&plain));
        let packed = plain.with_extension("jsonl.zst");
        fs::rename(&plain, &packed).expect("renamed");
        assert_eq!(of(home, id).as_ref(), Some(&packed));
        fs::write(&plain, "{}\n").expect("unpacked");
        assert_eq!(of(home, id).as_ref(), Some(&plain), "what is written to comes first");
        let archive = home.join("archived_sessions");
        fs::create_dir_all(&archive).expect("made");
        fs::remove_file(&plain).expect("removed");
        let away = archive.join(packed.file_name().expect("a name"));
        fs::rename(&packed, &away).expect("renamed");
        assert_eq!(of(home, id), Some(away));
    }
}
