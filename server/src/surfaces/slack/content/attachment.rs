//! Attachments: shared messages, and content that apps add below a text.

use serde_json::Value;

use super::{DEEPEST, Parts, blocks::quoted, list, text};
use crate::surfaces::slack::entities::decode;

/// Slack's placeholder for a text that it does not have.
const NO_TEXT: &str = "[no preview available]";

impl Parts {
    /// Extracts the text of an attachment, given the text of its message.
    pub(super) fn attachment(&mut self, attachment: &Value, said: &str, depth: usize) {
        if !attachment.is_object() || is_preview(attachment, said) {
            return;
        }
        if depth >= DEEPEST {
            return self.miss("a deeply nested shared message");
        }
        let mut inner = Self::default();
        inner.words_of(attachment, depth);
        inner.files(attachment);
        let body = inner.texts.join("\n\n");
        let is_share = is_share(attachment);
        if !body.is_empty() {
            let head = match (is_share, author(attachment)) {
                (true, "") => "Shared message:".to_owned(),
                (true, author) => format!("Shared message from {author}:"),
                (false, _) => "Attached:".to_owned(),
            };
            self.texts.push(format!("{head}\n{}", quoted(&body)));
        } else if is_share && inner.missing.is_empty() {
            self.miss("a shared message without text");
        }
        for missing in inner.missing {
            self.miss(missing);
        }
    }

    fn words_of(&mut self, attachment: &Value, depth: usize) {
        let field = |key: &str| decode(text(attachment, key));
        let fields = list(&attachment["fields"])
            .iter()
            .map(|field| [decode(text(field, "title")), decode(text(field, "value"))].join(": "));
        let head = [field("pretext"), field("title"), field("text")];
        let lines: Vec<String> =
            head.into_iter().chain(fields).filter(|line| !line.trim_matches([':', ' ']).is_empty()).collect();
        let plain = lines.join("\n");
        self.say(&plain, "");
        self.blocks(&attachment["blocks"], &plain, depth);
        for within in list(&attachment["message_blocks"]) {
            self.blocks(&within["message"]["blocks"], &plain, depth);
        }
        for within in list(&attachment["attachments"]) {
            self.attachment(within, &plain, depth + 1);
        }
        let fallback = field("fallback");
        if self.texts.is_empty() && self.missing.is_empty() && fallback != NO_TEXT {
            self.say(&fallback, "");
        }
        if !text(attachment, "image_url").is_empty() && is_share(attachment) {
            self.miss("an image");
        }
    }
}

/// True for a message that a person shared.
fn is_share(attachment: &Value) -> bool {
    ["is_share", "is_msg_unfurl", "is_reply_unfurl", "is_thread_root_unfurl"].iter().any(|key| attachment[key] == true)
        || attachment["message_blocks"].is_array()
}

/// True for a preview that Slack or an app adds for an address in the text. The author wrote the address only.
fn is_preview(attachment: &Value, said: &str) -> bool {
    let address = |key: &str| {
        let address = decode(text(attachment, key));
        // A person may have typed the address without its scheme, and Slack appends a slash.
        let address = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest).trim_end_matches('/');
        !address.is_empty() && said.contains(address)
    };
    !is_share(attachment) && ["from_url", "original_url", "app_unfurl_url"].into_iter().any(address)
}

fn author(attachment: &Value) -> &str {
    ["author_name", "author_subname", "author_id", "service_name"]
        .into_iter()
        .map(|key| text(attachment, key))
        .find(|author| !author.is_empty())
        .unwrap_or_default()
}
