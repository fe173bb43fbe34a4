//! The code blocks of a document, and the marks that say how each is followed.
//!
//! A mark is a comment on the line before a block. Without one, a block of `sh` must exit with 0, and a block of `yaml`
//! must be a valid config.
//!
//! | mark | meaning |
//! |---|---|
//! | `<!-- not run: REASON -->` | is not followed; the reason is printed |
//! | `<!-- exit: N -->` | its last command exits with N |
//! | `<!-- file: PATH -->` | the content of this file, relative to the current directory |
//! | `<!-- output -->` | what the block before it prints; `…` stands for anything, on a line of its own for any lines |

/// A code block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The document and the line of the block.
    pub(super) place: String,
    pub(super) text: String,
    pub(super) kind: Kind,
}

/// How a block is followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Commands for a shell, with the status of the last one, and the output where the document shows it.
    Commands { status: i32, output: Option<String> },
    /// The content of a file.
    File(String),
    /// A config that is valid in itself.
    Config,
    /// Cannot be followed in a test.
    NotRun(String),
    /// Is not followed: JSON, Rust, a picture in text.
    Other,
}

/// Returns the blocks of a document in order; an error names a mark that makes no sense.
pub(super) fn blocks(document: &str, text: &str) -> Result<Vec<Block>, String> {
    let mut found: Vec<Block> = Vec::new();
    let (mut mark, mut lines) = (None, text.lines().enumerate());
    while let Some((number, line)) = lines.next() {
        if let Some(said) = line.trim().strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            mark = Some(said.to_owned());
            continue;
        }
        let Some(language) = line.trim_start().strip_prefix("```") else {
            if let Some(mark) = mark.take().filter(|mark| is_mark(mark)) {
                return Err(format!("{document}:{number}: no block follows the mark `{mark}`"));
            }
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
        let text: String = body.iter().flat_map(|line| [line.get(indent..).unwrap_or_default(), "\n"]).collect();
        let place = format!("{document}:{}", number + 1);
        let mark = mark.take();
        if mark.as_deref() == Some("output") {
            match found.last_mut().map(|block| &mut block.kind) {
                Some(Kind::Commands { output, .. }) => *output = Some(text),
                _ => return Err(format!("{place}: no commands before this output")),
            }
            continue;
        }
        let kind = kind(language, mark.as_deref()).map_err(|what| format!("{place}: {what}"))?;
        found.push(Block { place, text, kind });
    }
    Ok(found)
}

fn is_mark(comment: &str) -> bool {
    comment == "output" || ["not run: ", "exit: ", "file: "].iter().any(|start| comment.starts_with(start))
}

fn kind(language: &str, mark: Option<&str>) -> Result<Kind, String> {
    let mark = mark.filter(|comment| is_mark(comment));
    let (key, value) = mark.and_then(|mark| mark.split_once(": ")).unwrap_or_default();
    match (key, language) {
        ("not run", _) => Ok(Kind::NotRun(value.to_owned())),
        ("file", _) => Ok(Kind::File(value.to_owned())),
        ("exit", "sh") => {
            let status = value.parse().map_err(|_| format!("`{value}` is not an exit status"))?;
            Ok(Kind::Commands { status, output: None })
        }
        ("exit", _) => Err("only a block of `sh` has an exit status".to_owned()),
        (_, "sh") => Ok(Kind::Commands { status: 0, output: None }),
        (_, "yaml") => Ok(Kind::Config),
        ("", "bash" | "shell" | "console") => Err(format!("a command block is `sh`, not `{language}`")),
        _ => Ok(Kind::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_say_how_a_block_is_followed() {
        let text = "a\n```sh\nls\n```\n<!-- output -->\n```text\nx\n```\n   <!-- file: a.yaml -->\n   ```yaml\n   a:\n     - 1\n   ```\n\
                    <!-- not run: why -->\n```sh\nno\n```\n<!-- exit: 3 -->\n```sh\nfalse\n```\n```json\n{}\n```\n";
        let found = blocks("d.md", text).expect("well marked");
        let expected = [
            ("d.md:2", "ls\n", Kind::Commands { status: 0, output: Some("x\n".to_owned()) }),
            ("d.md:10", "a:\n  - 1\n", Kind::File("a.yaml".to_owned())),
            ("d.md:15", "no\n", Kind::NotRun("why".to_owned())),
            ("d.md:19", "false\n", Kind::Commands { status: 3, output: None }),
            ("d.md:22", "{}\n", Kind::Other),
        ];
        let expected =
            expected.map(|(place, text, kind)| Block { place: place.to_owned(), text: text.to_owned(), kind });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_mark_that_makes_no_sense_is_an_error() {
        for text in [
            "<!-- not run: why -->\n\nprose\n",
            "<!-- output -->\n```text\nx\n```\n",
            "<!-- exit: many -->\n```sh\nls\n```\n",
            "<!-- exit: 1 -->\n```yaml\na: 1\n```\n",
            "```bash\nls\n```\n",
        ] {
            assert!(blocks("d.md", text).is_err(), "{text}");
        }
    }
}
