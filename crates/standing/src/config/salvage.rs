//! What can still be understood of a file that does not parse.
//!
//! `stop` is the verb of last resort: it must find where the state lives and which tmux server is meant even when
//! another block is broken. So each top-level block is read for itself, and those that fail are left out.

use super::{
    position::Mistake,
    tree::{self, Entry, Kind, Node},
};

/// No more than a whole file may hold.
const MAX_NODES: usize = 100_000;

/// The blocks of a text that can be read, as one document.
pub(super) fn blocks(text: &str) -> (Node, Vec<Mistake>) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut mistakes = Vec::new();
    let mut nodes = 0;
    for (lines_before, block) in split(text) {
        let Ok(document) = tree::parse(&block, lines_before) else { continue };
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

/// Cuts before each line that begins with a key, and says how many lines went before.
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

fn begins_block(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else { return false };
    let key = key.trim_matches(['"', '\'']);
    let is_word = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-$".contains(&b));
    is_word && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
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
}
