//! Blocks: the format of app messages, and of text typed in Slack's editor.

use serde_json::Value;

use super::{DEEPEST, Parts, list, text};
use crate::surfaces::slack::entities::decode;

impl Parts {
    /// Extracts the text of blocks, without the parts that are also in `said`.
    pub(super) fn blocks(&mut self, blocks: &Value, said: &str, depth: usize) {
        for block in list(blocks).iter().filter(|block| block.is_object()) {
            let paragraph = self.block(block, depth);
            self.say(&paragraph, said);
        }
    }

    fn block(&mut self, block: &Value, depth: usize) -> String {
        match text(block, "type") {
            "rich_text" => rich_text(&block["elements"]),
            "header" => object(&block["text"]),
            "section" => {
                let fields = list(&block["fields"]).iter().map(object);
                self.element(&block["accessory"]);
                lines(std::iter::once(object(&block["text"])).chain(fields))
            }
            "context" => {
                let elements: Vec<String> = list(&block["elements"]).iter().map(|part| self.element(part)).collect();
                elements.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
            }
            "markdown" => text(block, "text").to_owned(),
            "table" => {
                let cell = |cell: &Value| match text(cell, "type") {
                    "rich_text" => rich_text(&cell["elements"]).replace('\n', " "),
                    _ => text(cell, "text").to_owned(),
                };
                let row = |row: &Value| list(row).iter().map(cell).collect::<Vec<_>>().join(" | ");
                lines(list(&block["rows"]).iter().map(row))
            }
            "image" | "actions" | "input" | "file" | "call" | "video" => self.element(block),
            "divider" => String::new(),
            kind => self.unknown(block, kind, depth),
        }
    }

    /// Returns the text of an element, or of a block without elements.
    fn element(&mut self, element: &Value) -> String {
        let named = |what: &str, name: &str| match name {
            "" => what.to_owned(),
            name => format!("{what} (`{name}`)"),
        };
        let missing = match text(element, "type") {
            "" => return String::new(),
            "mrkdwn" | "plain_text" => return object(element),
            "image" => named("an image", text(element, "alt_text")),
            "video" => named("a video", text(&element["title"], "text")),
            "file" => "a file".to_owned(),
            "call" => "a call".to_owned(),
            _ => "buttons or menus".to_owned(),
        };
        self.miss(missing);
        String::new()
    }

    /// Returns the text found in a block of an unknown kind, and records that there may be more.
    fn unknown(&mut self, block: &Value, kind: &str, depth: usize) -> String {
        let kind: String = kind.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
        self.miss(format!("part of a block of the unknown type `{kind}`"));
        let mut found = Vec::new();
        words_within(block, depth, &mut found);
        lines(found.into_iter().map(str::to_owned))
    }
}

fn words_within<'a>(value: &'a Value, depth: usize, found: &mut Vec<&'a str>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(words) if key == "text" => found.push(words),
                    _ => words_within(value, depth + 1, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| words_within(value, depth + 1, found)),
        _ => {}
    }
}

/// Returns the text of a text object.
fn object(value: &Value) -> String {
    decode(text(value, "text"))
}

/// Returns text typed in Slack's editor. Its texts are plain, not in Slack's markup.
fn rich_text(elements: &Value) -> String {
    lines(list(elements).iter().map(|element| match text(element, "type") {
        "rich_text_list" => items(element),
        "rich_text_quote" => quoted(&inline(&element["elements"])),
        "rich_text_preformatted" => format!("```\n{}\n```", inline(&element["elements"])),
        _ => inline(&element["elements"]),
    }))
}

fn items(list_element: &Value) -> String {
    let indent = usize::try_from(list_element["indent"].as_u64().unwrap_or(0)).unwrap_or(0).min(8);
    let first = list_element["offset"].as_u64().unwrap_or(0).saturating_add(1);
    let item = |(number, item): (u64, &Value)| {
        let mark = if text(list_element, "style") == "ordered" { format!("{number}.") } else { "•".to_owned() };
        format!("{}{mark} {}", "    ".repeat(indent), inline(&item["elements"]))
    };
    lines((first..).zip(list(&list_element["elements"])).map(item))
}

fn inline(elements: &Value) -> String {
    list(elements).iter().map(inline_element).collect::<String>().trim_end_matches('\n').to_owned()
}

fn inline_element(element: &Value) -> String {
    let field = |key: &str| element[key].as_str().unwrap_or_default();
    match field("type") {
        "link" => match (field("text"), field("url")) {
            ("", url) => url.to_owned(),
            (label, url) if url.ends_with(label) => label.to_owned(),
            (label, url) => format!("{label} ({url})"),
        },
        "user" => format!("@{}", field("user_id")),
        "usergroup" => format!("@{}", field("usergroup_id")),
        "channel" => format!("#{}", field("channel_id")),
        "broadcast" => format!("@{}", field("range")),
        "emoji" => format!(":{}:", field("name")),
        "date" => field("fallback").to_owned(),
        "color" => field("value").to_owned(),
        _ => field("text").to_owned(),
    }
}

/// Formats text as a quotation.
pub(super) fn quoted(text: &str) -> String {
    lines(text.lines().map(|line| format!("> {line}")))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
