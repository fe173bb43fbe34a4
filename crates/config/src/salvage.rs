//! Recovers the readable parts of a file that does not parse.
//!
//! `stop` is the verb of last resort: it must find the state folder and the tmux server even when another block is
//! broken. So each top-level block is parsed alone, and the ones that fail are left out.

use super::{
    parse::{self, MAX_NODES},
    position::{Mark, Mistake},
    tree::{Entry, Kind, Node},
};

/// Maximum number of blocks, above any config: each part of a JSON text is examined from its first line.
const MAX_PARTS: usize = 100;

/// Returns the readable blocks of a text, as one document.
pub(super) fn blocks(text: &str) -> (Node, Vec<Mistake>) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut mistakes = Vec::new();
    let mut nodes = 0;
    let parts = if text.trim_start().starts_with('{') { split_flow(text) } else { split(text) };
    for (lines_before, block) in parts {
        let Ok(document) = parse::parse(&block, lines_before) else { continue };
        mistakes.extend(document.mistakes);
        let Some(root) = document.root else { continue };
        nodes += root.size;
        if nodes > MAX_NODES {
            break;
        }
        if let Kind::Block(found) = &root.kind {
            entries.extend(found.iter().cloned());
        }
    }
    (Node::of_entries(entries), mistakes)
}

/// Cuts before each line that begins a block; returns each part with the number of lines before it.
fn split(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if begins_block(line) || blocks.is_empty() {
            blocks.push((index, String::new()));
        }
        if let Some((_, block)) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

/// True if a line begins a block. An indented line, a list item or a closing bracket continues the current one.
fn begins_block(line: &str) -> bool {
    !line.is_empty() && !line.starts_with([' ', '\t', '\r', '#', '-', ']', '}'])
}

/// Cuts JSON at the commas of the outermost level, and puts braces around each part. It stops where the brackets no
/// longer match.
fn split_flow(text: &str) -> Vec<(usize, String)> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut escaped, mut from) = (0_usize, false, false, None);
    for (at, c) in text.char_indices() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        if parts.len() == MAX_PARTS {
            break;
        }
        let ends = matches!((c, depth), (',' | '}', 1));
        if let Some(from) = from.filter(|_| ends) {
            parts.push(flow_part(text, from, at));
        }
        match c {
            '"' => quoted = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if ends || (c == '{' && depth == 1) {
            from = Some(at + 1);
        }
    }
    parts
}

/// Returns a part in braces, at its original columns.
fn flow_part(text: &str, from: usize, to: usize) -> (usize, String) {
    let Mark { line, column } = Mark::of_byte(text, from);
    (line - 1, format!("{:indent$}{{{}}}", "", &text[from..to], indent = column.saturating_sub(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_for_themselves() {
        let text = "state:\n  root: s\nstandingSessions:\n  - [\nrouting:\n  tmux: {socket: x}\n";
        let (root, _) = blocks(text);
        assert_eq!(root.value(), serde_json::json!({"state": {"root": "s"}, "routing": {"tmux": {"socket": "x"}}}));
        let (_, node) = root.find(&super::super::position::KeyPath::of_keys(["routing", "tmux"])).expect("there");
        assert_eq!((node.mark.line, node.mark.column), (6, 9));
    }

    #[test]
    fn json_is_cut_at_its_outermost_commas() {
        let text = "{\n\t\"state\": {\"root\": \"a\\\",b\"},\n\t\"standingSessions\": {1 2: 3 4: 5},\n\t\"routing\": {\"tmux\": {}}\n}\n";
        let (root, _) = blocks(text);
        assert_eq!(root.value(), serde_json::json!({"state": {"root": "a\",b"}, "routing": {"tmux": {}}}));
        let (_, node) = root.find(&super::super::position::KeyPath::of_keys(["routing"])).expect("there");
        assert_eq!((node.mark.line, node.mark.column), (4, 13));
    }
}
