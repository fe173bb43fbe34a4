//! Headings of all documents.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Lists the headings of every document, one section per file.
pub(super) fn of(root: &Path) -> Result<String> {
    let mut files = vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned(), "CHANGELOG.md".to_owned()];
    let mut docs = Vec::new();
    for entry in fs::read_dir(root.join("docs")).context("docs")? {
        let name = entry.context("docs")?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            docs.push(format!("docs/{name}"));
        }
    }
    docs.sort();
    files.extend(docs);
    let mut list = String::new();
    for file in files {
        let text = fs::read_to_string(root.join(&file)).with_context(|| file.clone())?;
        let _ = writeln!(list, "== {file}");
        for heading in headings(&text) {
            let _ = writeln!(list, "{heading}");
        }
    }
    Ok(list)
}

fn headings(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        fenced ^= line.starts_with("```");
        !fenced && line.starts_with('#')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_no_headings() {
        let found: Vec<&str> = headings("# One\ntext\n```sh\n# a comment\n```\n## Two\n").collect();
        assert_eq!(found, ["# One", "## Two"]);
    }
}
