//! Files. The app is not permitted to read them, but Slack includes the text of some of them.

use serde_json::Value;

use super::{Parts, blocks::quoted, list, text};

impl Parts {
    /// Extracts the available text of the files of a message or an attachment, and records the files.
    pub(super) fn files(&mut self, holder: &Value) {
        let one = holder.get("file").filter(|file| file.is_object());
        for file in list(&holder["files"]).iter().chain(one).filter(|file| file.is_object()) {
            self.file(file);
        }
        if !list(&holder["x_files"]).is_empty() {
            self.miss("a file that the app cannot access");
        }
    }

    fn file(&mut self, file: &Value) {
        let name =
            [text(file, "name"), text(file, "title")].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let mode = text(file, "mode");
        if mode == "tombstone" {
            // The file was deleted.
            return;
        }
        if text(file, "file_access") == "check_file_info" || mode == "hidden_by_limit" {
            return self.miss("a file that the app cannot access");
        }
        if let Some(words) = whole_snippet(file) {
            self.texts.push(format!("File `{name}`:\n{}", quoted(words)));
        } else if let Some(words) = transcript(file) {
            self.texts.push(format!("Transcript of `{name}`:\n{}", quoted(words)));
        } else {
            let what = if ["canvas", "quip"].contains(&mode) { "canvas" } else { "file" };
            let kind = Some(text(file, "pretty_type")).filter(|kind| !kind.is_empty() && what == "file");
            let kind = kind.map_or_else(String::new, |kind| format!(" ({kind})"));
            self.miss(if name.is_empty() { format!("a {what}{kind}") } else { format!("the {what} `{name}`{kind}") });
        }
    }
}

/// Returns the text of a snippet, if Slack includes all of it.
fn whole_snippet(file: &Value) -> Option<&str> {
    let is_whole = file["lines_more"] == 0 && file["preview_is_truncated"] != true;
    file["preview"].as_str().filter(|preview| is_whole && !preview.trim().is_empty())
}

/// Returns the transcript of a voice message, if Slack transcribed all of it.
fn transcript(file: &Value) -> Option<&str> {
    let transcription = &file["transcription"];
    let preview = &transcription["preview"];
    let is_whole = transcription["status"] == "complete" && preview["has_more"] == false;
    preview["content"].as_str().filter(|words| is_whole && !words.trim().is_empty())
}
