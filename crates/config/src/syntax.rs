//! Preparation of text for the YAML reader, and explanations of its syntax errors.

use std::{borrow::Cow, fmt::Write as _};

use super::position::Mark;

/// Prepares the text for the reader. Columns stay the same, except for an escaped pair of surrogates.
pub(super) fn prepare(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return Cow::Borrowed(text);
    }
    // JSON may be indented with tabs, which YAML refuses, and escapes characters beyond 16 bits in two halves.
    let untabbed: Vec<Cow<'_, str>> = text.split('\n').map(untabbed).collect();
    Cow::Owned(joined_surrogates(&untabbed.join("\n")))
}

fn untabbed(line: &str) -> Cow<'_, str> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    if line[..indent].contains('\t') {
        Cow::Owned(format!("{:indent$}{}", "", &line[indent..]))
    } else {
        Cow::Borrowed(line)
    }
}

/// Converts `\ud83d\ude00` to `\U0001f600`.
fn joined_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let pair = unit(rest).zip(rest.get(6..).and_then(unit));
        if let Some(Ok(joined)) = pair.map(|(high, low)| char::decode_utf16([high, low]).next().unwrap_or(Ok('\0')))
            && joined > '\u{ffff}'
        {
            let _ = write!(out, "\\U{:08x}", u32::from(joined));
            rest = &rest[12..];
        } else {
            // The escaped character is copied too, so an escaped backslash does not begin an escape.
            let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    out.push_str(rest);
    out
}

/// Returns the UTF-16 unit of a `\uXXXX` that the text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Explains where and why the text fails to parse; `info` is the reader's own message.
pub(super) fn explain(text: &str, mark: Mark, info: &str) -> (Mark, String) {
    if let Some(mark) = indenting_tab(text, mark) {
        return (mark, "tab in the indentation: use spaces".to_owned());
    }
    if let Some(mark) = tab_beside(text, mark) {
        return (mark, "tab where a space is needed".to_owned());
    }
    (mark, in_our_words(info).map_or_else(|| format!("not valid YAML ({})", info.to_lowercase()), str::to_owned))
}

/// Translates the usual messages; the rest are rare enough to be shown as they are.
fn in_our_words(info: &str) -> Option<&'static str> {
    Some(match info {
        "while parsing node, found unknown anchor" => {
            "this alias refers to an anchor (`&name`) that is not defined \
                                                       above"
        }
        "while scanning a quoted scalar, found unexpected end of stream" => "unterminated quoted string",
        "invalid indentation in quoted scalar" => {
            "a quoted string continues on a line that is not indented: is a closing quote missing above?"
        }
        "invalid trailing content after double-quoted scalar" => {
            "unexpected text after a quoted string: quote all of it, and write a quote inside it as `\\\"`"
        }
        "while parsing a quoted scalar, found unknown escape character" => {
            "unknown escape: write `\\\\` for a backslash, or use single quotes"
        }
        "mapping values are not allowed in this context" | "illegal placement of ':' indicator" => {
            "unexpected `:`: check the indentation, or quote the string"
        }
        "simple key expected ':'" | "simple key expect ':'" | "simple key expected" => {
            "expected `key: value`: is there a `:` followed by a space?"
        }
        "while parsing a block mapping, did not find expected key" | "invalid indentation" => {
            "expected `key: value`: check the indentation of this line and the one before"
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            "expected `- item`: check the indentation of this line and the one before"
        }
        "block sequence entries are not allowed in this context" => {
            "unexpected `- item`: check the indentation of this line and the one before"
        }
        "did not find expected <document start>" => {
            "this line belongs to nothing above it: check the indentation of this line and the one before"
        }
        "while parsing a node, did not find expected node content" => "expected a value",
        "while parsing a flow mapping, did not find expected ',' or '}'" => "expected `,` or `}`",
        "while parsing a flow sequence, expected ',' or ']'" => "expected `,` or `]`",
        "invalid indentation in flow construct" => {
            "a `{` or `[` block continues on a line that is not indented: is the closing bracket missing above?"
        }
        "wrongly indented line in block scalar" => "this line is indented less than the first line of its block",
        "unexpected character: `@'" | "unexpected character: ``'" | "unexpected character: `%'" => {
            "a string cannot start with this character: quote it"
        }
        "recursion limit exceeded" => "values are nested more than 64 levels deep",
        "found unprintable character" => "control character",
        _ => return None,
    })
}

/// Finds the tab that indents the line of a mistake, or one of its neighbours: the first one if several lines have it.
fn indenting_tab(text: &str, mark: Mark) -> Option<Mark> {
    let lines: Vec<&str> = text.lines().take(mark.line + 1).collect();
    let tab = |line: usize| {
        let text = lines.get(line.checked_sub(1)?)?;
        let blank = text.chars().take_while(|c| [' ', '\t', '-'].contains(c));
        let column = 1 + blank.into_iter().position(|c| c == '\t')?;
        (!text.trim().is_empty()).then_some(Mark { line, column })
    };
    let mut found = tab(mark.line).or_else(|| tab(mark.line - 1)).or_else(|| tab(mark.line + 1))?;
    while let Some(above) = tab(found.line - 1) {
        found = above;
    }
    Some(found)
}

/// Finds the tab at the position of a mistake or right before or after it.
fn tab_beside(text: &str, mark: Mark) -> Option<Mark> {
    let line = text.lines().nth(mark.line - 1)?;
    let from = mark.column.saturating_sub(2);
    let at = line.chars().skip(from).take(3).position(|c| c == '\t')?;
    Some(Mark { column: from + at + 1, ..mark })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_are_joined() {
        assert_eq!(joined_surrogates(r#""\ud83d\ude00""#), r#""\U0001f600""#);
        assert_eq!(joined_surrogates(r#""\\ud83d\\ude00 \n\u00e9""#), r#""\\ud83d\\ude00 \n\u00e9""#);
        assert_eq!(joined_surrogates(r"\ud83d\u0041\"), r"\ud83d\u0041\");
    }
}
