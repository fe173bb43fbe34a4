//! Files of Gemini CLI's conversations.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use serde_json::Value;

/// Finds the file of a conversation's turns: the oldest file with its id, since a resume adds empty ones.
pub(super) fn of(folder: &Path, id: &str) -> Option<PathBuf> {
    let first_part = id.split('-').next().filter(|part| !part.is_empty())?;
    let end = format!("-{first_part}.jsonl");
    let entries = |dir: PathBuf| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = entries(folder.join("tmp")).flat_map(|project| entries(project.join("chats")));
    files.filter(|path| path.to_string_lossy().ends_with(&end) && is_of(path, id)).min()
}

fn is_of(path: &Path, id: &str) -> bool {
    let mut line = String::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).read_line(&mut line));
    read.is_ok() && serde_json::from_str::<Value>(&line).is_ok_and(|value| value["sessionId"] == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_file_with_the_whole_id_holds_the_turns() {
        let folder = tempfile::tempdir().expect("made");
        let chats = folder.path().join("tmp/demo/chats");
        fs::create_dir_all(&chats).expect("made");
        let write = |name: &str, id: &str| {
            fs::write(chats.join(name), format!("{{\"sessionId\":\"{id}\",\"kind\":\"main\"}}\n")).expect("written");
        };
        write("session-2026-01-01T00-00-aaaa.jsonl", "aaaa-other");
        write("session-2026-01-02T00-00-aaaa.jsonl", "aaaa-mine");
        write("session-2026-01-03T00-00-aaaa.jsonl", "aaaa-mine");
        let found = of(folder.path(), "aaaa-mine").expect("there");
        assert!(found.ends_with("session-2026-01-02T00-00-aaaa.jsonl"), "{}", found.display());
        assert_eq!((of(folder.path(), "aaaa-nobody"), of(folder.path(), "")), (None, None));
    }
}
