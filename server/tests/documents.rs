//! The documents as a newcomer follows them: every command block of README and `docs/`, in order, from an empty home.
//!
//! It must not know what a document is about: a block says what is special about it (`blocks.rs`).

mod blocks;
mod newcomer;
mod output;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
};

use blocks::{Block, Kind, blocks};
use newcomer::{Ended, Newcomer};

/// Documents that are not followed: a generated table.
const NOT_FOLLOWED: [&str; 1] = ["faults.md"];

#[test]
fn every_command_of_the_documents_works_in_an_empty_home() {
    let network = match newcomer::network() {
        Ok(network) => network,
        Err(why) => {
            return tell(&format!("SKIPPED every_command_of_the_documents_works_in_an_empty_home: {why}"));
        }
    };
    let documents: Vec<Vec<Block>> = documents().iter().map(|document| read(document)).collect();
    for block in documents.iter().flatten() {
        if let Kind::NotRun(reason) = &block.kind {
            tell(&format!("not run: {}: {reason}", block.place));
        }
    }
    let run = documents.iter().flatten().filter(|block| matches!(block.kind, Kind::Commands { .. })).count();
    assert!(run > 10, "only {run} blocks were found");
    // Each document has a home and a network of its own.
    let wrong: Vec<String> = thread::scope(|scope| {
        let network = &network;
        let followed: Vec<_> = documents.iter().map(|blocks| scope.spawn(move || follow(network, blocks))).collect();
        followed.into_iter().flat_map(|document| document.join().expect("a document is followed")).collect()
    });
    assert!(wrong.is_empty(), "{} blocks do not do what the document says:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Reads the blocks of a document.
fn read(document: &str) -> Vec<Block> {
    let text = fs::read_to_string(root().join(document)).expect("a document");
    blocks(document, &text).unwrap_or_else(|mistake| panic!("{mistake}"))
}

/// Follows one document, and returns what is not as the document says.
fn follow(network: &newcomer::Network, blocks: &[Block]) -> Vec<String> {
    if !blocks.iter().any(|block| matches!(block.kind, Kind::Commands { .. } | Kind::Config)) {
        return Vec::new();
    }
    let newcomer = Newcomer::arrive(network);
    let ended = newcomer.follow(blocks);
    let mut wrong = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let shown = newcomer.shown(index);
        match &block.kind {
            Kind::Commands { output, .. } => match (ended, output) {
                (Ended::In(at, why), _) if at == index => wrong.push(format!("{}: {why}:\n{shown}", block.place)),
                (Ended::In(at, _), _) if at < index => break,
                (_, Some(expected)) => {
                    if let Err(line) = output::matches(expected, &shown) {
                        wrong.push(format!("{}: no line like `{line}` here:\n{shown}", block.place));
                    }
                }
                (_, None) => {}
            },
            Kind::Config => match ended {
                Ended::In(at, _) if at == index => wrong.push(format!("{}: not a config:\n{shown}", block.place)),
                Ended::In(at, _) if at < index => break,
                _ => {}
            },
            Kind::File(_) | Kind::NotRun(_) | Kind::Other => {}
        }
    }
    wrong
}

/// Returns the paths of all documents, the README first.
fn documents() -> Vec<String> {
    let listed = fs::read_dir(root().join("docs")).expect("docs").flatten();
    let names = listed.filter_map(|entry| entry.file_name().into_string().ok());
    let mut docs: Vec<String> = names
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"))
        .filter(|name| !NOT_FOLLOWED.contains(&name.as_str()))
        .map(|name| format!("docs/{name}"))
        .collect();
    docs.sort();
    docs.insert(0, "README.md".to_owned());
    docs
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Prints past the test runner, which shows nothing of a test that passes.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
