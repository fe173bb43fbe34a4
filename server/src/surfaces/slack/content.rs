//! Content of a message besides its text: blocks, shared messages and files. Text in them is extracted as plain text.
//! Parts without readable text are named, so that the author is told that they were not delivered.

mod attachment;
mod blocks;
mod file;

use serde_json::Value;

use super::entities::decode;

/// Maximum nesting depth of parts: a shared message may contain another one.
const DEEPEST: usize = 6;

/// Maximum number of parts that are named.
const NAMED: usize = 8;

/// Content of a message besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// Extracted plain text.
    pub(super) text: String,
    /// Short descriptions of the parts that cannot be delivered.
    pub(super) missing: Vec<String>,
}

impl Content {
    /// Reads the content of a message besides its `text`, which is in Slack's markup.
    pub(super) fn of(message: &Value) -> Self {
        let text = message["text"].as_str().map(decode).unwrap_or_default();
        let mut parts = Parts::default();
        parts.blocks(&message["blocks"], &text, 0);
        for attachment in list(&message["attachments"]) {
            parts.attachment(attachment, &text, 0);
        }
        parts.files(message);
        let Parts { texts, mut missing } = parts;
        if missing.len() > NAMED {
            let more = missing.len() - NAMED;
            missing.truncate(NAMED);
            missing.push(format!("{more} more"));
        }
        Self { text: texts.join("\n\n"), missing }
    }
}

/// Parts found in a message.
#[derive(Debug, Default)]
struct Parts {
    /// Paragraphs of plain text.
    texts: Vec<String>,
    missing: Vec<String>,
}

impl Parts {
    /// Adds a paragraph unless its text is already present.
    fn say(&mut self, paragraph: &str, said: &str) {
        let paragraph = paragraph.trim_matches('\n');
        if !paragraph.trim().is_empty() && !is_said(paragraph, said) {
            self.texts.push(paragraph.to_owned());
        }
    }

    /// Records a part that cannot be delivered.
    fn miss(&mut self, part: impl Into<String>) {
        let part = part.into();
        if !self.missing.contains(&part) {
            self.missing.push(part);
        }
    }
}

/// True if the words of a text appear in another one, in the same order and next to each other. Slack sends typed text
/// twice, as text and as blocks, with different markup.
fn is_said(text: &str, said: &str) -> bool {
    if said.trim().is_empty() {
        return text.trim().is_empty();
    }
    match words(text).as_str() {
        " " => text.split_whitespace().all(is_name) || said.contains(text.trim()),
        wanted => words(said).contains(wanted),
    }
}

/// Returns the words of a text, each surrounded by spaces. Names of members, channels and emoji are left out, because
/// they differ between text and blocks.
fn words(text: &str) -> String {
    let plain = text.split_whitespace().filter(|token| !is_name(token));
    let words = plain.flat_map(|token| token.split(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

fn is_name(token: &str) -> bool {
    token.starts_with(['@', '#']) || (token.len() > 2 && token.starts_with(':') && token.ends_with(':'))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text field; empty if there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn content(message: &Value) -> (String, Vec<String>) {
        let Content { text, missing } = Content::of(message);
        (text, missing)
    }

    fn nothing() -> (String, Vec<String>) {
        (String::new(), Vec::new())
    }

    #[test]
    fn what_a_person_typed_is_not_said_twice() {
        let section = |elements: Value| json!([{ "type": "rich_text", "elements": elements }]);
        for (text, elements) in [
            (
                "Hello *bold* <@U1>, see <https://x.example|the page> :smile: &lt;b&gt; &amp; <#C1|ops> <!here>",
                json!([{ "type": "rich_text_section", "elements": [
                    { "type": "text", "text": "Hello " },
                    { "type": "text", "text": "bold", "style": { "bold": true } },
                    { "type": "text", "text": " " }, { "type": "user", "user_id": "U1" },
                    { "type": "text", "text": ", see " },
                    { "type": "link", "url": "https://x.example", "text": "the page" },
                    { "type": "text", "text": " " }, { "type": "emoji", "name": "smile" },
                    { "type": "text", "text": " <b> & " }, { "type": "channel", "channel_id": "C1" },
                    { "type": "text", "text": " " }, { "type": "broadcast", "range": "here" },
                ] }]),
            ),
            (
                "1. one\n2. two\n&gt; quoted\n```let x = 1;```",
                json!([
                    { "type": "rich_text_list", "style": "ordered", "elements": [
                        { "type": "rich_text_section", "elements": [{ "type": "text", "text": "one" }] },
                        { "type": "rich_text_section", "elements": [{ "type": "text", "text": "two" }] },
                    ] },
                    { "type": "rich_text_quote", "elements": [{ "type": "text", "text": "quoted" }] },
                    { "type": "rich_text_preformatted", "elements": [{ "type": "text", "text": "let x = 1;" }] },
                ]),
            ),
            (":tada:", json!([{ "type": "rich_text_section", "elements": [{ "type": "emoji", "name": "tada" }] }])),
            (
                "<!subteam^S1|@crew>",
                json!([{ "type": "rich_text_section", "elements": [
                { "type": "usergroup", "usergroup_id": "S1" },
            ] }]),
            ),
            ("!!", json!([{ "type": "rich_text_section", "elements": [{ "type": "text", "text": "!!" }] }])),
            (
                "日本語 です",
                json!([{ "type": "rich_text_section", "elements": [{ "type": "text", "text": "日本語 です" }] }]),
            ),
        ] {
            let message = json!({ "text": text, "blocks": section(elements) });
            assert_eq!(content(&message), nothing(), "{text}");
        }
    }

    #[test]
    fn what_only_blocks_say_is_taken_out_of_them() {
        let message = json!({ "text": "", "blocks": [
            { "type": "header", "text": { "type": "plain_text", "text": "The plan" } },
            { "type": "divider" },
            { "type": "section", "text": { "type": "mrkdwn", "text": "Do &lt;this&gt; <https://x.example|now>" },
              "fields": [{ "type": "mrkdwn", "text": "*Who* Ann" }, { "type": "plain_text", "text": "When today" }] },
            { "type": "rich_text", "elements": [
                { "type": "rich_text_section", "elements": [
                    { "type": "text", "text": "a < b & " }, { "type": "user", "user_id": "U1" },
                    { "type": "date", "timestamp": 0, "format": "{date}", "fallback": "on Monday" },
                    { "type": "color", "value": "#fff000" },
                ] },
                { "type": "rich_text_list", "style": "ordered", "offset": 2, "elements": [
                    { "type": "rich_text_section", "elements": [{ "type": "text", "text": "third" }] },
                ] },
                { "type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [
                    { "type": "rich_text_section", "elements": [{ "type": "text", "text": "below" }] },
                ] },
                { "type": "rich_text_quote", "elements": [{ "type": "text", "text": "one\ntwo" }] },
                { "type": "rich_text_preformatted", "elements": [{ "type": "text", "text": "cargo test" }] },
            ] },
            { "type": "context", "elements": [{ "type": "mrkdwn", "text": "by _Bob_" }, { "type": "image", "alt_text": "Bob" }] },
            { "type": "markdown", "text": "**marked** down" },
            { "type": "table", "rows": [
                [{ "type": "raw_text", "text": "a" }, { "type": "raw_text", "text": "b" }],
                [{ "type": "rich_text", "elements": [{ "type": "rich_text_section", "elements": [
                    { "type": "text", "text": "c" }] }] }, { "type": "raw_text", "text": "d" }],
            ] },
        ] });
        let (text, missing) = content(&message);
        assert_eq!(
            text,
            "The plan\n\nDo <this> now (https://x.example)\n*Who* Ann\nWhen today\n\na < b & @U1on Monday#fff000\n\
             3. third\n    • below\n> one\n> two\n```\ncargo test\n```\n\nby _Bob_\n\n**marked** down\n\na | b\nc | d"
        );
        assert_eq!(missing, ["an image (`Bob`)"]);
    }

    #[test]
    fn what_has_no_words_is_named() {
        let message = json!({ "text": "look", "blocks": [
            { "type": "image", "image_url": "https://x.example/a.png", "alt_text": "a graph" },
            { "type": "actions", "elements": [{ "type": "button", "text": { "type": "plain_text", "text": "Go" } }] },
            { "type": "of_next_year", "inner": { "text": { "text": "new words" } } },
        ], "files": [
            { "name": "plan.pdf", "pretty_type": "PDF", "mode": "hosted" },
            { "title": "notes", "mode": "canvas" },
            { "mode": "tombstone" },
            { "mode": "snippet", "name": "a.txt", "preview": "whole\nsnippet", "lines_more": 0 },
            { "mode": "snippet", "name": "b.txt", "preview": "begins", "lines_more": 7 },
            { "name": "memo.m4a", "subtype": "slack_audio",
              "transcription": { "status": "complete", "preview": { "content": "said aloud", "has_more": false } } },
            { "id": "F1", "file_access": "check_file_info" },
        ] });
        let (text, missing) = content(&message);
        assert_eq!(text, "new words\n\nFile `a.txt`:\n> whole\n> snippet\n\nTranscript of `memo.m4a`:\n> said aloud");
        assert_eq!(
            missing,
            [
                "an image (`a graph`)",
                "buttons or menus",
                "part of a block of the unknown type `of_next_year`",
                "the file `plan.pdf` (PDF)",
                "the canvas `notes`",
                "the file `b.txt`",
                "a file that the app cannot access",
            ]
        );
    }

    #[test]
    fn a_shared_message_is_quoted_with_its_author() {
        let shared = json!({ "is_share": true, "is_msg_unfurl": true, "author_name": "Bob", "channel_name": "dev",
            "text": "THE-ORDER-1 &amp; more\nsecond line", "fallback": "[July] bob: THE-ORDER-1", "from_url": "https://s/p1" });
        let (text, missing) = content(&json!({ "text": "do this", "attachments": [shared] }));
        assert_eq!(
            (text.as_str(), missing.len()),
            ("Shared message from Bob:\n> THE-ORDER-1 & more\n> second line", 0)
        );
        // An app's message is in blocks, with a fallback that carries no text.
        let bot = json!({ "is_share": true, "bot_id": "B1", "author_subname": "Deploy", "fallback": "[no preview available]",
            "message_blocks": [{ "team": "T1", "message": { "blocks": [
                { "type": "section", "text": { "type": "mrkdwn", "text": "*Release 7* failed" } },
                { "type": "actions", "elements": [{ "type": "button" }] },
            ] } }],
            "files": [{ "name": "log.txt" }] });
        let (text, missing) = content(&json!({ "text": "", "attachments": [bot] }));
        assert_eq!(text, "Shared message from Deploy:\n> *Release 7* failed");
        assert_eq!(missing, ["buttons or menus", "the file `log.txt`"]);
        // A share within a share, and one that contains only a fallback.
        let outer = json!({ "is_share": true, "author_name": "Eve", "text": "see", "attachments": [
            { "is_share": true, "author_name": "Bob", "text": "inner order" },
        ] });
        assert_eq!(
            content(&json!({ "attachments": [outer, { "fallback": "only this" }] })).0,
            "Shared message from Eve:\n> see\n> \n> Shared message from Bob:\n> > inner order\n\nAttached:\n> only this"
        );
        let (text, missing) =
            content(&json!({ "attachments": [{ "is_share": true, "fallback": "[no preview available]" }] }));
        assert_eq!((text.as_str(), missing), ("", vec!["a shared message without text".to_owned()]));
    }

    #[test]
    fn a_preview_of_a_link_that_was_typed_is_nobodys_words() {
        let preview = json!({ "from_url": "https://x.example/a?b=1&amp;c=2", "title": "A page", "text": "its words",
            "image_url": "https://x.example/i.png" });
        let message = json!({ "text": "see <https://x.example/a?b=1&amp;c=2>", "attachments": [preview] });
        assert_eq!(content(&message), nothing());
        let bare = json!({ "from_url": "http://x.example/", "title": "A page", "text": "its words" });
        assert_eq!(content(&json!({ "text": "<http://x.example|x.example>", "attachments": [bare] })), nothing());
        let other = json!({ "text": "see", "attachments": [preview] });
        assert_eq!(content(&other).0, "Attached:\n> A page\n> its words");
    }

    #[test]
    fn a_message_that_is_no_such_thing_holds_nothing() {
        let mut deep = json!({ "text": "end" });
        for _ in 0..40 {
            deep = json!({ "is_share": true, "text": "x", "attachments": [deep] });
        }
        let (_, missing) = content(&json!({ "text": "t", "attachments": [deep] }));
        assert_eq!(missing, ["a deeply nested shared message"]);
        for odd in [
            json!({}),
            json!(7),
            json!({ "blocks": "x", "attachments": 3, "files": {} }),
            json!({ "blocks": [null, 1, "x", [], { "type": 7 }], "attachments": [null, []], "files": [null] }),
        ] {
            let (text, _) = content(&odd);
            assert_eq!(text, "", "{odd}");
        }
        let many: Vec<Value> = (0..30).map(|n| json!({ "name": format!("{n}.png") })).collect();
        assert_eq!(content(&json!({ "files": many })).1.last().map(String::as_str), Some("22 more"));
    }
}
