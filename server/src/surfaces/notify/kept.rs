//! Episodes on disk, so that a restart neither repeats nor loses a notification.

use std::{collections::BTreeMap, io};

use serde::{Deserialize, Serialize};

use super::{episodes::Episode, folder::Folder};

const FILE: &str = "episodes.json";

/// Version of the file.
const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct File {
    format: u32,
    episodes: BTreeMap<String, Episode>,
}

/// Reads the episodes of an earlier run; none if the file does not exist.
pub(super) fn read(folder: &Folder) -> io::Result<BTreeMap<String, Episode>> {
    let text = folder.read(FILE)?;
    if text.is_empty() {
        return Ok(BTreeMap::new());
    }
    let file: File = serde_json::from_str(&text).map_err(io::Error::other)?;
    if file.format != FORMAT {
        return Err(io::Error::other(format!("written by another version (format {})", file.format)));
    }
    Ok(file.episodes)
}

/// Returns the text of the file.
pub(super) fn text(episodes: &BTreeMap<String, Episode>) -> String {
    serde_json::to_string(&File { format: FORMAT, episodes: episodes.clone() }).unwrap_or_default()
}

/// Writes the file. It is on disk when this returns.
pub(super) fn write(folder: &Folder, text: &str) -> io::Result<()> {
    folder.write(FILE, text)
}
