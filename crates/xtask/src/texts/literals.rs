//! Text literals of the product's sources: every error, row reason, doctor finding, page and Slack text.
//!
//! They are listed in alphabetical order and without their file, so that moved code does not change the list. Tests,
//! documentation and the messages of panics are left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Folders without sources of the product.
const NOT_SHIPPED: [&str; 6] = ["target", "tests", "examples", "testkit", "xtask", "end2end"];

/// Files that only tests or the build use.
const NOT_TEXTS: [&str; 4] = ["build.rs", "fixtures.rs", "tests.rs", "texts.rs"];

/// Lists the texts, one per line; a line feed in a text is written `\n`.
pub(super) fn of(root: &Path) -> Result<String> {
    let mut texts = BTreeSet::new();
    for folder in ["app", "crates", "server"] {
        for file in sources(&root.join(folder))? {
            let source = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let tokens: TokenStream = source.parse().map_err(|error| anyhow!("{}: {error}", file.display()))?;
            collect(tokens, &mut texts);
        }
    }
    let lines: Vec<String> = texts.into_iter().map(|text| text.replace('\n', "\\n")).collect();
    Ok(lines.join("\n") + "\n")
}

/// Returns all Rust files of the product below a folder.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !NOT_SHIPPED.contains(&name) {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|end| end == "rs") && !NOT_TEXTS.contains(&name) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Adds the texts of these tokens.
fn collect(tokens: TokenStream, texts: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let inner = usize::from(is_mark(tokens.get(at), '!'));
                let Some(TokenTree::Group(attribute)) = tokens.get(at + inner) else { continue };
                at += inner + 1;
                let attribute = attribute.stream();
                if is_of_tests(&attribute) {
                    at = after_item(&tokens, at);
                } else if starts_with(&attribute, &["error", "arg", "command", "cfg_attr"]) {
                    collect(attribute, texts);
                }
            }
            // The message of a panic.
            TokenTree::Ident(name) if name == "expect" || name == "panic" || name == "unreachable" => {
                at += usize::from(is_mark(tokens.get(at), '!'));
                at += usize::from(matches!(tokens.get(at), Some(TokenTree::Group(_))));
            }
            TokenTree::Group(group) => collect(group.stream(), texts),
            TokenTree::Literal(literal) => {
                texts.extend(text_of(&literal.to_string()).filter(|text| is_for_people(text)));
            }
            _ => {}
        }
    }
}

fn is_mark(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == wanted)
}

fn starts_with(attribute: &TokenStream, names: &[&str]) -> bool {
    let first = attribute.clone().into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if names.iter().any(|wanted| name == wanted))
}

/// True for `cfg(test)` and `cfg(all(test, …))`.
fn is_of_tests(attribute: &TokenStream) -> bool {
    starts_with(attribute, &["cfg"]) && {
        let text = attribute.to_string().replace(' ', "");
        text.contains("(test)") || text.contains("(test,")
    }
}

/// Returns the position after an item: after its braces or its semicolon.
fn after_item(tokens: &[TokenTree], from: usize) -> usize {
    let ends = |token: &TokenTree| {
        matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
            || matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';')
    };
    tokens[from..].iter().position(ends).map_or(tokens.len(), |length| from + length + 1)
}

/// Returns the value of a string literal in source form; none for another literal.
fn text_of(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        return Some(raw.trim_matches('#').trim_matches('"').to_owned());
    }
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut rest = inner.chars().peekable();
    while let Some(one) = rest.next() {
        match (one, (one == '\\').then(|| rest.next()).flatten()) {
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some('t')) => text.push('\t'),
            ('\\', Some('r')) => text.push('\r'),
            // A continued line: its end and the indentation of the next line belong to the source.
            ('\\', Some('\n')) => while rest.next_if(|next| next.is_whitespace()).is_some() {},
            ('\\', Some(escaped @ ('"' | '\\' | '\''))) => text.push(escaped),
            ('\\', Some(other)) => text.extend(['\\', other]),
            (one, _) => text.push(one),
        }
    }
    Some(text)
}

/// False for texts that only programs read: those without a space, and those without two letters in a row.
fn is_for_people(text: &str) -> bool {
    let word = |part: &str| part.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    text.contains(' ') && text.split_whitespace().any(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let mut found = BTreeSet::new();
        collect(source.parse().expect("tokens"), &mut found);
        found.into_iter().collect()
    }

    #[test]
    fn texts_are_found_in_code_macros_and_attributes() {
        let source = r##"
            /// Not "a text".
            #[error("it is\n \"gone\": \
                     {0}")]
            struct A;
            fn a() { view! { <p>"on a page"</p> }; b("an argument", "word", "m4 4 8 8", r#"a "raw" one"#); }
        "##;
        assert_eq!(texts(source), ["a \"raw\" one", "an argument", "it is\n \"gone\": {0}", "on a page"]);
    }

    #[test]
    fn tests_and_panics_are_left_out() {
        let source = r#"
            #![expect(lint, reason = "not this")]
            fn a() { b().expect("nor this"); panic!("nor {} this", 1); "but this" }
            #[cfg(test)] mod tests { fn c() { "and not this" } }
            #[cfg(all(test, unix))] use d; fn e() { "this again" }
        "#;
        assert_eq!(texts(source), ["but this", "this again"]);
    }
}
