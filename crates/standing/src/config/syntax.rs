//! What YAML makes of a text, told in words that help.

use std::{borrow::Cow, fmt::Write as _};

use super::position::Mark;

/// The text as the reader takes it. Columns stay what they are, but for an escaped pair of surrogates.
pub(super) fn prepare(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return Cow::Borrowed(text);
    }
    // JSON may be indented with tabs, which YAML refuses, and escapes what is beyond 16 bits in two halves.
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

/// `\ud83d\ude00` as `\U0001f600`.
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
            // The escaped character goes along, so that an escaped backslash begins nothing.
            let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    out.push_str(rest);
    out
}

/// The UTF-16 unit of a `\uXXXX` that the text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Where the text breaks off and why, `info` being the reader's own words.
pub(super) fn explain(text: &str, mark: Mark, info: &str) -> (Mark, String) {
    if let Some(mark) = tab_near(text, mark) {
        let message = "a tab stands where YAML takes only spaces: indent with spaces";
        return (mark, message.to_owned());
    }
    let message = match info {
        "while parsing node, found unknown anchor" => "this alias stands for nothing that was named before (`&name`)",
        "while scanning a quoted scalar, found unexpected end of stream" => "a quoted text begins here and never ends",
        "mapping values are not allowed in this context" => {
            "a `:` stands where no key can be: look at the indentation, or quote the text"
        }
        "simple key expected ':'" | "simple key expect ':'" | "simple key expected" => {
            "a `key: value` is needed here: is there a `:` with a space after it?"
        }
        "while parsing a block mapping, did not find expected key" => {
            "a `key: value` is needed here: look at the indentation of this line and the one before"
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            "a `- item` is needed here: look at the indentation of this line and the one before"
        }
        "while parsing a flow mapping, did not find expected ',' or '}'" => "a `,` or `}` is needed here",
        "while parsing a flow sequence, expected ',' or ']'" => "a `,` or `]` is needed here",
        "recursion limit exceeded" => "values are nested more than 64 deep here",
        "found unprintable character" => "a control character stands here",
        other => return (mark, format!("this is no YAML ({})", other.to_lowercase())),
    };
    (mark, message.to_owned())
}

/// The tab that indents the line of a mistake, or one of its neighbours.
fn tab_near(text: &str, mark: Mark) -> Option<Mark> {
    let from = mark.line.saturating_sub(1).max(1);
    let near = text.lines().enumerate().skip(from - 1).take(3);
    near.filter_map(|(index, line)| {
        let blank = line.chars().take_while(|c| [' ', '\t', '-'].contains(c));
        let column = 1 + blank.clone().position(|c| c == '\t')?;
        (!line.trim().is_empty()).then_some(Mark { line: index + 1, column })
    })
    .min_by_key(|tab| tab.line.abs_diff(mark.line))
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
